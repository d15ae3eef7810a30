"""What bonnie++ prints."""
