"""What smartctl tells of a drive, in both its forms."""
