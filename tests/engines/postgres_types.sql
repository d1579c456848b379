-- Types of a user's own, for the golden test of values.
CREATE EXTENSION hstore;
CREATE SCHEMA kinds;
CREATE TYPE kinds.mood AS ENUM ('sad', 'ok', 'very happy');
CREATE TYPE kinds.place AS (street text, number int, at timestamptz);
CREATE TYPE kinds.person AS (name text, home kinds.place, moods kinds.mood[]);
CREATE DOMAIN kinds.email AS text CHECK (value LIKE '%@%');
CREATE DOMAIN kinds.amount AS numeric(12, 2);
CREATE DOMAIN kinds.tags AS text[];
CREATE TYPE kinds.floats AS RANGE (subtype = float8);
CREATE TABLE kinds.item (id int PRIMARY KEY, price numeric(10, 2), made date);
INSERT INTO kinds.item VALUES (1, 9.90, '2024-02-29');
