"""The papers' tables and examples, beside what this code executes."""
