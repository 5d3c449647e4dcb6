BEGIN
UPDATE purse SET cents = cents - :amount WHERE id = :purse AND cents >= :amount
INSERT INTO payout (purse_id, cents) VALUES (:purse, :amount)
COMMIT
SELECT p.id AS purse, p.opened_with, p.cents AS balance, coalesce(sum(o.cents), 0) AS paid_out FROM purse p LEFT JOIN payout o ON o.purse_id = p.id GROUP BY p.id HAVING p.cents < 0 OR p.cents + coalesce(sum(o.cents), 0) <> p.opened_with
SELECT cents FROM purse WHERE id = :purse
UPDATE purse SET cents = :left WHERE id = :purse
SELECT id FROM acct WHERE id IN (:src, :dst) ORDER BY id FOR UPDATE
UPDATE acct SET cents = cents - :amount WHERE id = :src AND cents >= :amount
UPDATE acct SET cents = cents + :amount WHERE id = :dst
UPDATE transfer_request SET state = 'done' WHERE id = :req
SELECT 'transfer dropped' AS problem, id::text AS what FROM transfer_request WHERE state <> 'done' UNION ALL SELECT 'money not conserved', sum(cents)::text FROM acct HAVING sum(cents) <> 100000
SELECT cap, taken FROM promo WHERE id = :promo
INSERT INTO sale (promo_id, buyer, cents) VALUES (:promo, :buyer, 500)
UPDATE promo SET taken = taken + 1 WHERE id = :promo AND taken < cap
SELECT p.id AS promo, p.cap, p.taken, count(s.id) AS discounted_sales FROM promo p JOIN sale s ON s.promo_id = p.id GROUP BY p.id HAVING count(s.id) > p.cap
SELECT count(*) AS clashes FROM stay WHERE room_id = :room AND nights && :nights::daterange
INSERT INTO stay (room_id, nights, guest) VALUES (:room, :nights, :guest)
SELECT a.room_id, a.guest AS first_guest, b.guest AS second_guest FROM stay a JOIN stay b ON a.room_id = b.room_id AND a.id < b.id AND a.nights && b.nights
UPDATE court SET edition = edition + 1 WHERE id = :court
SELECT count(*) AS clashes FROM game WHERE court_id = :court AND hours && :hours::int4range
INSERT INTO game (court_id, hours, club) VALUES (:court, :hours, :club)
SELECT a.court_id, a.club AS one, b.club AS other FROM game a JOIN game b ON a.court_id = b.court_id AND a.id < b.id AND a.hours && b.hours
SELECT id FROM court WHERE id = :court FOR UPDATE
SELECT email, phone, edition FROM contact WHERE id = :id
UPDATE contact SET email = :new_email, phone = :phone, edition = edition + 1 WHERE id = :id AND edition = :edition
INSERT INTO acknowledged VALUES ('email', :new_email)
UPDATE contact SET email = :email, phone = :new_phone, edition = edition + 1 WHERE id = :id AND edition = :edition
INSERT INTO acknowledged VALUES ('phone', :new_phone)
SELECT a.field, a.value AS acknowledged, CASE a.field WHEN 'email' THEN c.email ELSE c.phone END AS stored FROM acknowledged a CROSS JOIN contact c WHERE a.value <> CASE a.field WHEN 'email' THEN c.email ELSE c.phone END
SELECT email, phone FROM contact WHERE id = :id
UPDATE contact SET email = :new_email, phone = :phone WHERE id = :id
UPDATE contact SET email = :email, phone = :new_phone WHERE id = :id
SELECT person FROM seat_holder WHERE workspace = :workspace AND role = 'admin' ORDER BY person FOR UPDATE
UPDATE seat_holder SET role = 'guest' WHERE workspace = :workspace AND person = :me
SELECT workspace, count(*) FILTER (WHERE role = 'admin') AS admins FROM seat_holder GROUP BY workspace HAVING count(*) FILTER (WHERE role = 'admin') = 0
SELECT count(*) AS others FROM seat_holder WHERE workspace = :workspace AND role = 'admin' AND person <> :me
SELECT EXISTS (SELECT 1 FROM member WHERE lower(mail) = lower(:mail)) AS taken
INSERT INTO member (mail) VALUES (:mail)
SELECT lower(mail) AS mail, count(*) FROM member GROUP BY lower(mail) HAVING count(*) > 1
INSERT INTO label (name) VALUES (:name) ON CONFLICT (name) DO NOTHING
SELECT id AS label_id FROM label WHERE name = :name
INSERT INTO note_label VALUES (:note, :label_id)
SELECT note_id, 'labelled with nothing' AS problem FROM note_label WHERE label_id IS NULL
WITH made AS (INSERT INTO label (name) VALUES (:name) ON CONFLICT (name) DO NOTHING RETURNING id) SELECT id AS label_id FROM made UNION ALL SELECT id FROM label WHERE name = :name
SELECT max(no) AS no FROM folio WHERE book = :book
INSERT INTO folio (book, no) VALUES (:book, :next_no)
SELECT book, no, count(*) AS copies FROM folio GROUP BY book, no HAVING count(*) > 1
SELECT no FROM folio WHERE book = :book ORDER BY no DESC LIMIT 1 FOR UPDATE
UPDATE errand SET state = 'running', worker = :worker WHERE id = (SELECT id FROM errand WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id AS errand
INSERT INTO ran VALUES (:errand, :worker)
SELECT errand_id, count(*) AS times FROM ran GROUP BY errand_id HAVING count(*) > 1
UPDATE errand SET state = 'running', worker = :worker WHERE id = (SELECT id FROM errand WHERE state = 'ready' ORDER BY id LIMIT 1) RETURNING id AS errand
INSERT INTO idem_key VALUES (:key, 'started') ON CONFLICT (key) DO NOTHING
INSERT INTO provider_charge (key, cents) VALUES (:key, :cents)
UPDATE idem_key SET state = 'done' WHERE key = :key
SELECT key, count(*) AS charges FROM provider_charge GROUP BY key HAVING count(*) > 1
SELECT count(*) AS known FROM idem_key WHERE key = :key
INSERT INTO idem_key VALUES (:key, 'done')
WITH out AS (UPDATE outbox SET sent = true WHERE id IN (SELECT id FROM outbox WHERE NOT sent ORDER BY id FOR UPDATE SKIP LOCKED) RETURNING id) INSERT INTO delivered SELECT id FROM out
SELECT o.id, o.topic, 'will never be delivered' AS problem FROM outbox o, relay_cursor c WHERE NOT EXISTS (SELECT 1 FROM delivered d WHERE d.outbox_id = o.id) AND (o.id <= c.last_id OR o.sent)
INSERT INTO outbox (topic) VALUES ('order-paid')
INSERT INTO outbox (topic) VALUES ('order-shipped')
SELECT last_id FROM relay_cursor WHERE name = 'main' FOR UPDATE
WITH out AS (INSERT INTO delivered SELECT id FROM outbox WHERE id > :last_id ORDER BY id RETURNING outbox_id) SELECT coalesce(max(outbox_id), :last_id) AS upto FROM out
UPDATE relay_cursor SET last_id = :upto WHERE name = 'main'
UPDATE cron_mark SET last_run = now() WHERE name = 'payroll' AND now() - last_run >= interval '12 hours'
INSERT INTO payroll_run (instance) VALUES (:instance)
SELECT count(*) AS runs, string_agg(instance, ', ' ORDER BY instance) AS by_instances FROM payroll_run HAVING count(*) > 1
SELECT now() - last_run >= interval '12 hours' AS due FROM cron_mark WHERE name = 'payroll'
UPDATE cron_mark SET last_run = now() WHERE name = 'payroll'
UPDATE grant_token SET revoked = true WHERE id = :token AND NOT revoked
INSERT INTO grant_token VALUES (nextval('grant_ids'), :token, false)
SELECT parent, count(*) AS live_children FROM grant_token WHERE parent IS NOT NULL AND NOT revoked GROUP BY parent HAVING count(*) > 1
SELECT revoked FROM grant_token WHERE id = :token
UPDATE grant_token SET revoked = true WHERE id = :token
INSERT INTO reply VALUES (:reply, :article)
UPDATE article SET replies = replies + 1 WHERE id = :article
SELECT s.reply_id, 'submitted, never stored' AS problem FROM submitted s LEFT JOIN reply r ON r.id = s.reply_id WHERE r.id IS NULL UNION ALL SELECT a.id, 'counter ' || a.replies || ' for ' || (SELECT count(*) FROM reply WHERE article_id = a.id) FROM article a WHERE a.replies <> (SELECT count(*) FROM reply WHERE article_id = a.id)
SELECT replies FROM article WHERE id = :article FOR UPDATE
UPDATE article SET replies = :replies_now WHERE id = :article
SELECT cents FROM wallet WHERE id = 1 FOR UPDATE
UPDATE wallet SET cents = :cents + (SELECT cents FROM top_up WHERE id = :top_up) WHERE id = 1
UPDATE top_up SET booked = true WHERE id = :top_up
SELECT 'top-up ' || id || ' dropped' AS problem FROM top_up WHERE NOT booked UNION ALL SELECT 'wallet has ' || cents FROM wallet WHERE cents <> (SELECT coalesce(sum(cents), 0) FROM top_up WHERE booked)
SELECT cents FROM wallet WHERE id = 1 FOR SHARE
SELECT cents FROM deposit WHERE id = :deposit
UPDATE till SET cents = cents + :cents WHERE id = 1
UPDATE deposit SET state = 'booked' WHERE id = :deposit
SELECT id AS deposit, cents, 'accepted, never booked' AS problem FROM deposit WHERE state <> 'booked'
UPDATE board SET open_cards = open_cards + 1 WHERE id = :board AND NOT archived
INSERT INTO card (board_id) VALUES (:board)
UPDATE board SET archived = true WHERE id = :board AND open_cards = 0
SELECT b.id AS board, count(*) AS open_cards_on_archived_board FROM board b JOIN card c ON c.board_id = b.id WHERE b.archived AND NOT c.done GROUP BY b.id
SELECT archived FROM board WHERE id = :board
SELECT count(*) AS open FROM card WHERE board_id = :board AND NOT done
UPDATE board SET archived = true WHERE id = :board
DELETE FROM reset_token WHERE code = :code RETURNING login_id
INSERT INTO secret_changed VALUES (:login_id, :code, :secret)
UPDATE login SET secret = :secret WHERE id = :login_id
SELECT code, count(*) AS times_used FROM secret_changed GROUP BY code HAVING count(*) > 1
SELECT login_id FROM reset_token WHERE code = :code
DELETE FROM reset_token WHERE code = :code
UPDATE leader_lease SET holder = :me, until = (SELECT at FROM true_time) + interval '10 s' WHERE id = 1 AND until < (SELECT at FROM true_time)
INSERT INTO reign SELECT :me, at, at + interval '10 s' FROM true_time
SELECT a.holder AS leader, b.holder AS also_leader FROM reign a JOIN reign b ON a.ctid < b.ctid AND a.began < b.believes_until AND b.began < a.believes_until
SELECT at + :skew AS my_now FROM true_time
UPDATE leader_lease SET holder = :me, until = :my_now + interval '10 s' WHERE id = 1 AND until < :my_now
UPDATE hold SET state = 'sold' WHERE id = :hold AND state = 'held'
UPDATE hold SET state = 'released' WHERE id = :hold AND state = 'held'
UPDATE seat_stock SET free = free + 1 WHERE id = 1
SELECT s.free, s.total, (SELECT count(*) FROM hold WHERE state IN ('held', 'sold')) AS held_or_sold FROM seat_stock s WHERE s.free + (SELECT count(*) FROM hold WHERE state IN ('held', 'sold')) <> s.total
SELECT state FROM hold WHERE id = :hold
UPDATE hold SET state = 'sold' WHERE id = :hold
BEGIN ISOLATION LEVEL REPEATABLE READ
START TRANSACTION READ ONLY
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
SET LOCAL statement_timeout = 100
ROLLBACK TO SAVEPOINT a
SELECT balance FROM account WHERE id = $1
SELECT a.balance, o.name FROM account a JOIN owner o ON o.id = a.owner_id WHERE a.id = $1 FOR UPDATE OF a NOWAIT
SELECT * FROM account WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
SELECT sum(balance) FROM account a LEFT JOIN entry e ON e.account_id = a.id AND e.kind = 'x' WHERE a.id = 1
SELECT EXISTS(SELECT 1 FROM seat s WHERE s.show_id = $1 AND s.no = $2 AND s.taken IS NOT NULL)
SELECT "Select", t."from" FROM "Order" t WHERE t."Id" = 3 AND (t.a = 1 OR t.b = 2)
SELECT x FROM t WHERE a IS DISTINCT FROM $1 AND b BETWEEN 1 AND 2 AND c = 3
SELECT extract(year FROM created) FROM t WHERE created::date = date '2026-05-01'
SELECT pg_advisory_xact_lock($1)
SELECT do_something($1)
UPDATE account SET balance = balance - $1, version = version + 1 WHERE id = $2 AND balance >= $1 AND version = $3 RETURNING balance
UPDATE account SET balance = $1 WHERE (id = $2)
UPDATE "Account" AS a SET balance = coalesce(a.balance, 0) + $1::numeric FROM owner o WHERE o.id = a.owner_id AND o.id = $2
UPDATE item SET (stock, sold) = (stock - ?, sold + ?) WHERE sku = ? AND NOT archived
UPDATE t SET a = CASE WHEN b > 1 THEN 0 ELSE a END, c = DEFAULT, d = (SELECT max(x) FROM u WHERE u.k = t.k)
INSERT INTO t VALUES ($1, DEFAULT, now())
INSERT INTO t (a, b) VALUES ($1, lower($2)), (3, 'x''y') ON CONFLICT (a) DO UPDATE SET b = excluded.b, n = t.n + 1 WHERE t.b <> excluded.b RETURNING *
INSERT INTO public.t (a, b) SELECT $1, max(b) + 1 FROM t WHERE a = $1
DELETE FROM token WHERE code = $1 AND expires > now() RETURNING user_id
DELETE FROM a USING b WHERE a.id = b.a_id AND b.id = $1
WITH next AS (SELECT id FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE job SET state = 'running' FROM next WHERE job.id = next.id RETURNING job.id
WITH RECURSIVE r AS (SELECT id FROM tree WHERE id = $1 UNION ALL SELECT t.id FROM tree t JOIN r ON t.parent = r.id) SELECT count(*) FROM r
MERGE INTO stock s USING delivery d ON s.sku = d.sku WHEN MATCHED THEN UPDATE SET n = s.n + d.n WHEN NOT MATCHED THEN INSERT VALUES (d.sku, d.n)
TRUNCATE TABLE a, b CASCADE
LOCK TABLE a IN EXCLUSIVE MODE
COPY t (a, b) FROM STDIN
EXPLAIN (ANALYZE, BUFFERS) UPDATE t SET a = 1 WHERE id = 2
CREATE INDEX ON t (a)
DO $$ BEGIN UPDATE t SET a = 1; END $$
CALL pay($1, $2)
SELECT * FROM t WHERE (a, b) = ($1, $2)
SELECT data->>'a' FROM t WHERE data ? 'key' AND id = :id AND owner = @owner
SELECT 1; UPDATE t SET a = a+1 WHERE id=$1
SELECT id FROM t WHERE a = $1 AND
UPDATE
SELECT count(*) FROM (SELECT id FROM t WHERE k = $1 FOR SHARE) x
(SELECT a FROM t WHERE id = 1) UNION (SELECT b FROM u WHERE id = 2) ORDER BY 1
VALUES (1), (2)
TABLE t
SELECT t.id FROM t, LATERAL (SELECT * FROM u WHERE u.t_id = t.id LIMIT 1) x, generate_series(1, 3) g WHERE t.k = $1
UPDATE "pairs" SET `value` = $1 WHERE `group` = $2 AND `key` = $3
SELECT a FROM t WHERE b::
