\set a 1 + 2 * 3 - 4 / 5 % 6
\set a - 1 * 2
\set a -(1 * 2)
\set a ~ 1 + 2 & 3
\set a not 1 = 2 and not 3 < 4 or true
\set a 1 + 2 is null = false
\set a 1 | 2 # 3 & 4 << 5 >> 6
\set a :x > :y and :y >= :x
\set a -9223372036854775808 - -1
\set a CASE WHEN :a IsNull THEN 1. WHEN :b NOTNULL THEN .5E1 END
\set a hash(:a) + PERMUTE(1, 2) + least(1, 2.0, null)
