-- What a session may do, in the order in which it can go wrong.
\set VERBOSITY verbose
create table account (id int primary key, owner text, balance numeric(12, 2) not null check (balance >= 0));
insert into account select i, 'owner ' || i, i * 10 from generate_series(1, 20) i;
select * from account order by id;
select count(*), sum(balance) from account; select 'second result'; select 'third';
-- errors, and what follows them
select 1 / 0;
selec 1;
begin;
update account set balance = balance - 1000 where id = 1;
select 'not reached';
rollback;
insert into account values (1, 'twice', 0);
-- several commands in one message, one of which fails
select 1 as one \; select 1 / 0 as two \; select 3 as three;
-- transactions, savepoints
begin isolation level serializable;
savepoint s;
delete from account where id > 10;
rollback to s;
select count(*) from account;
commit;
-- cursors
begin;
declare c cursor for select id from account order by id;
fetch 3 from c;
move 5 in c;
fetch 2 from c;
close c;
end;
-- COPY both ways
copy (select id, owner from account where id < 4 order by id) to stdout;
copy account from stdin;
101	copied	1.50
102	\N	2.50
\.
copy account from stdin;
103	bad	not a number
\.
copy account (id, owner, balance) from stdin with (format csv);
104,"with, comma",3
\.
select * from account where id > 100 order by id;
-- notices and notifications
do $$ begin raise notice 'a notice with %', 42; raise warning 'a warning'; end $$;
listen channel;
notify channel, 'payload';
select 'notified';
unlisten channel;
-- prepared statements of SQL
prepare p (int) as select owner from account where id = $1;
execute p (3);
deallocate p;
-- parameters that the server reports
set application_name = 'session test';
set datestyle = 'German';
select date '2026-02-03';
reset datestyle;
-- empty messages, long values, many rows, odd names
;
select repeat('long ', 30000) = repeat('long ', 30000) as same, length(repeat('x', 2000000));
select sum(length(t)) from (select repeat('y', 1000) as t from generate_series(1, 5000)) q;
select i, repeat('z', 300) from generate_series(1, 400) i;
create table "select" ("from" int, "ä ö" text);
insert into "select" values (1, 'ü');
select * from "select";
\d account
\bind_not_there
select pg_backend_pid() = pg_backend_pid();
explain (costs off) select * from account where id = 1;
vacuum account;
create function add(int, int) returns int language sql as 'select $1 + $2';
select add(1, 2);
drop table account, "select";
drop function add(int, int);
