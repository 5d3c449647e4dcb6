-- protocols: simple extended prepared. The small commands, in odd spellings.
\SET one 1.0
\sleep :one us
\sleep 1us
\sleep 0 MS
\sleep 0
\setshell n \
  echo \
    :one 2 | sed 's/.* //'
\set x debug(:n)
\shell true :one
\
 \set y debug(:scale + :client_id + :random_seed)
SELECT 1 AS q \gset   r_  
\set z debug(:r_q)
select :x::int + 1 as w \GSET
\set z debug(:w)
