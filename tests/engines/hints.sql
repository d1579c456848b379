CREATE TYPE order_state AS ENUM ('new', 'paid', 'shipped', 'cancelled');
CREATE TABLE customers (
  id integer PRIMARY KEY, first_name text, last_name text, email text NOT NULL,
  registered_at timestamp, is_blocked boolean
);
CREATE TABLE products (
  id integer PRIMARY KEY, sku text UNIQUE, title text, unit_price numeric(12,2), weight_g integer
);
CREATE TABLE orders (
  id integer PRIMARY KEY, customer_id integer REFERENCES customers, state order_state,
  total_amount numeric(12,2), discount_amount numeric(12,2), placed_at timestamp,
  delivered_on date, note text
);
CREATE TABLE order_items (
  id integer PRIMARY KEY, order_id integer REFERENCES orders, product_id integer REFERENCES products,
  quantity integer, line_total numeric(12,2)
);
CREATE TABLE "OrderEvents" (
  "eventId" integer PRIMARY KEY, "orderId" integer REFERENCES orders, "happenedAt" timestamp
);
CREATE TABLE payments (
  id integer PRIMARY KEY, order_id integer REFERENCES orders, amount numeric(12,2), paid_at timestamp,
  "order" integer
);
CREATE TABLE "user" (id integer PRIMARY KEY, login text);
CREATE SCHEMA sales;
CREATE TABLE sales.targets (id integer PRIMARY KEY, region text, amount numeric(12,2));
CREATE TABLE salaries (id integer PRIMARY KEY, employee text, amount numeric(12,2));
CREATE TABLE staff (id integer PRIMARY KEY, full_name text, salary numeric(12,2));
INSERT INTO customers VALUES (1, 'Ann', 'Lee', 'ann@example.com', '2024-01-05', false);
INSERT INTO products VALUES (1, 'A-1', 'Pen', 2.50, 10);
INSERT INTO orders VALUES (1, 1, 'paid', 25.00, 0, '2024-05-02', '2024-05-04', 'fragile');
INSERT INTO order_items VALUES (1, 1, 1, 10, 25.00);
