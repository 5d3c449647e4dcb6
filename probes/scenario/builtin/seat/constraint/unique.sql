ALTER TABLE ticket ADD CONSTRAINT one_ticket_per_seat UNIQUE (seat_id);
