"""How a catalog is written: names, dense lines, the seeds' JSON, DDL, Markdown, Mermaid."""
