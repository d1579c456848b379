CREATE TABLE customers (
  id int NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'the customer''s number',
  name varchar(50) NOT NULL,
  mood enum('sad','it''s ok') DEFAULT 'sad',
  tags set('new','vip'),
  status varchar(10) CHECK (status IN ('open', 'it''s shut')),
  details json COMMENT 'free form',
  upper_name varchar(50) AS (UPPER(name)) VIRTUAL,
  name_length int AS (CHAR_LENGTH(name)) STORED,
  made timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(),
  secret int INVISIBLE,
  price decimal(10,2) DEFAULT 1.50,
  UNIQUE KEY by_name (name),
  KEY by_prefix (name(10) , mood),
  FULLTEXT KEY words (name)
) COMMENT = 'who buys';
CREATE TABLE orders (
  id bigint unsigned NOT NULL, line int NOT NULL, customer int, partner int,
  PRIMARY KEY (id, line),
  CONSTRAINT buyer FOREIGN KEY (customer) REFERENCES customers (id) ON DELETE CASCADE,
  CONSTRAINT partner FOREIGN KEY (partner) REFERENCES customers (id) ON DELETE SET NULL
);
CREATE TABLE shipments (
  order_id bigint unsigned, order_line int,
  CONSTRAINT what FOREIGN KEY (order_id, order_line) REFERENCES orders (id, line)
);
CREATE TABLE facts (d date NOT NULL, n int) PARTITION BY RANGE (YEAR(d))
  (PARTITION p0 VALUES LESS THAN (2020), PARTITION p1 VALUES LESS THAN MAXVALUE);
CREATE TABLE history (id int) WITH SYSTEM VERSIONING;
CREATE SEQUENCE counter;
CREATE VIEW names AS SELECT id, name FROM customers;
CREATE TABLE gone (id int);
CREATE VIEW broken AS SELECT id FROM gone;
DROP TABLE gone;
INSERT INTO customers (name) VALUES ('a'), ('b');
ANALYZE TABLE customers;
