ALTER TABLE stock ADD CONSTRAINT on_hand_not_negative CHECK (on_hand >= 0);
