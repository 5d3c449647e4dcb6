-- A double-entry ledger over the table account (id bigint). Amounts are whole
-- numbers of the smallest unit, such as cents.
--
-- What must hold is said to the server, so that no code path can forget it:
--   an entry is never changed or deleted; a mistake is mended by another posting
--   the entries of a posting sum to zero when its transaction commits
--   a balance is the sum of the entries of its account
--   no balance falls below the floor of its account
--   a posting with a key that was used is not made again

CREATE TABLE ledger_balance (
    account_id bigint PRIMARY KEY REFERENCES account (id),
    balance    bigint NOT NULL DEFAULT 0,
    -- What the account may fall to; null for none, as of the outside world.
    floor      bigint DEFAULT 0,
    CONSTRAINT ledger_balance_floor CHECK (balance >= floor)
);

CREATE TABLE ledger_posting (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key        text        NOT NULL CONSTRAINT ledger_posting_key UNIQUE,
    memo       text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE ledger_entry (
    posting_id bigint NOT NULL REFERENCES ledger_posting,
    account_id bigint NOT NULL REFERENCES ledger_balance,
    amount     bigint NOT NULL CHECK (amount <> 0),
    PRIMARY KEY (posting_id, account_id)
);

CREATE INDEX ledger_entry_of_account ON ledger_entry (account_id, posting_id);

-- The balance is changed in place by the entry itself: the row is locked until
-- the end of the transaction, and its CHECK is the decision.
CREATE FUNCTION ledger_apply() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE ledger_balance SET balance = balance + NEW.amount WHERE account_id = NEW.account_id;
    RETURN NULL;
END $$;

CREATE TRIGGER ledger_apply AFTER INSERT ON ledger_entry
    FOR EACH ROW EXECUTE FUNCTION ledger_apply();

CREATE FUNCTION ledger_sums_to_zero() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT sum(amount) FROM ledger_entry WHERE posting_id = NEW.posting_id) <> 0 THEN
        RAISE EXCEPTION 'the entries of posting % do not sum to zero', NEW.posting_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_sums_to_zero';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER ledger_sums_to_zero AFTER INSERT ON ledger_entry
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION ledger_sums_to_zero();

CREATE FUNCTION ledger_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entries are never changed: make a posting that takes it back'
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON ledger_entry
    FOR EACH ROW EXECUTE FUNCTION ledger_append_only();
