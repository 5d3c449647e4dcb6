CREATE UNIQUE INDEX one_member_per_email ON member (lower(email));
