"""Orders of items under rules about positions: counted, drawn and ranked without listing them. Nothing about values."""
