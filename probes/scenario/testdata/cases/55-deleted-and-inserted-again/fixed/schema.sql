ALTER TABLE preference ADD PRIMARY KEY (customer);
