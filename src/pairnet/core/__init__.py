"""What everything else is made of: values with shapes, treatments, outcomes, errors, files."""
