ALTER TABLE coupon
    ADD COLUMN used integer NOT NULL DEFAULT 0,
    ADD CONSTRAINT not_used_up CHECK (used <= max_uses);
