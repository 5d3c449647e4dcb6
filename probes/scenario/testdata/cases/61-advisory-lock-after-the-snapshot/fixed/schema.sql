ALTER TABLE booking ADD UNIQUE (room, day);
