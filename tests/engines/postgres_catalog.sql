-- One of everything that db-schema tells of.
CREATE TYPE mood AS ENUM ('sad', 'ok', 'it''s fine');
CREATE DOMAIN email AS text NOT NULL CHECK (value LIKE '%@%');
CREATE SCHEMA audit;

CREATE TABLE customer (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    gone int,
    name varchar(80) NOT NULL,
    email email,
    mood mood DEFAULT 'ok',
    moods mood[],
    balance numeric(10, 2) DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    upper_name text GENERATED ALWAYS AS (upper(name)) STORED,
    status text CHECK (status IN ('new', 'it''s', 'gone')),
    tier varchar(10) CHECK (tier IN ('gold', 'silver')),
    grade text CHECK (grade IN ('a', 'b') OR balance > 5)
);
ALTER TABLE customer DROP COLUMN gone;
COMMENT ON TABLE customer IS 'who buys';
COMMENT ON COLUMN customer.name IS 'full name, as on the invoice';
CREATE INDEX customer_lower ON customer (lower(name), created_at DESC) INCLUDE (balance);
CREATE UNIQUE INDEX customer_mail ON customer (email) WHERE balance > 0;
CREATE INDEX customer_moods ON customer USING gin (moods);
INSERT INTO customer (name, email) SELECT 'n' || g, g || '@x.org' FROM generate_series(1, 500) g;
ANALYZE customer;

CREATE TABLE audit.change (id int PRIMARY KEY, at timestamp);
ALTER TABLE audit.change ENABLE ROW LEVEL SECURITY;

CREATE TABLE orders (
    id int,
    region text,
    customer_id bigint REFERENCES customer (id),
    PRIMARY KEY (region, id)
);
CREATE TABLE order_line (
    order_id int,
    order_region text,
    change_id int,
    CONSTRAINT line_of_order FOREIGN KEY (order_region, order_id)
        REFERENCES orders (region, id) ON DELETE CASCADE,
    CONSTRAINT line_seen FOREIGN KEY (change_id) REFERENCES audit.change (id) ON DELETE SET NULL
);
CREATE TABLE "Mixed Case" ("Some Column" int, "select" text);

CREATE VIEW customer_name AS SELECT name FROM customer;
CREATE MATERIALIZED VIEW customer_stats AS SELECT mood, count(*) FROM customer GROUP BY mood;

CREATE TABLE event (id int, at date) PARTITION BY RANGE (at);
CREATE TABLE event_2023 PARTITION OF event FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');
CREATE TABLE event_2024 PARTITION OF event FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')
    PARTITION BY RANGE (id);
CREATE TABLE event_2024_low PARTITION OF event_2024 FOR VALUES FROM (0) TO (100);
CREATE TABLE event_2024_high PARTITION OF event_2024 FOR VALUES FROM (100) TO (200);
CREATE INDEX event_at ON event (at);
INSERT INTO event SELECT g, date '2023-12-20' + g FROM generate_series(1, 30) g;
ANALYZE event;

GRANT SELECT (id, name) ON customer TO outsider;
GRANT SELECT ON orders TO outsider;
