-- @retry 40001
BEGIN;
INSERT INTO preference VALUES (5, :colour) ON CONFLICT (customer) DO UPDATE SET colour = EXCLUDED.colour;
COMMIT;
