"""What several features share: pages, cards, tables, fields, labels, colours, icons, paper."""
