"""The three tenants as a table: the words and the column order each one uses."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_WORDS = {
    "bank": "Harbor Community Bank",
    "sign_in_title": "Sign in to the teller console",
    "user_id": "User ID",
    "password": "Password",
    "sign_in": "Sign in",
    "wrong_password": "The user ID or the password is wrong.",
    "expired": "Your session expired. Sign in again to go on.",
    "signed_out": "You have signed out.",
    "sign_out": "Log out",
    "notice_title": "Notice",
    "notice_text": "The console is unavailable on Sunday from 02:00 to 04:00 for maintenance.",
    "notice_dismiss": "Dismiss",
    "home": "Home",
    "welcome": "Good morning",
    "search_title": "Member search",
    "member_number": "Member number",
    "last_name": "Last name",
    "search": "Search",
    "search_empty": "Enter a member number or a last name.",
    "search_none": "No member found.",
    "found_one": "1 member found",
    "found_many": "{} members found",
    "previous": "Previous",
    "next": "Next",
    "number": "Number",
    "name": "Name",
    "town": "City",
    "status": "Status",
    "open_member": "",
    "member": "Member",
    "details": "Details",
    "address": "Address",
    "phone": "Phone",
    "email": "Email",
    "joined": "Member since",
    "accounts": "Accounts",
    "type": "Type",
    "account_number": "Account",
    "nickname": "Nickname",
    "balance": "Balance",
    "available": "Available",
    "opened": "Opened",
    "actions": "Actions",
    "transactions": "Transactions",
    "change_address": "Change address",
    "transfer": "Transfer money",
    "statements": "Statements",
    "date": "Date",
    "description": "Description",
    "amount": "Amount",
    "running_balance": "Running balance",
    "back": "Back to member",
    "street": "Street",
    "city": "City",
    "state": "State",
    "zip_code": "ZIP code",
    "choose": "Choose…",
    "save_address": "Save address",
    "address_saved": "The address was changed.",
    "fix_errors": "Nothing was saved. Please correct the marked fields.",
    "from_account": "From account",
    "to_account": "To account",
    "memo": "Memo",
    "send_transfer": "Transfer",
    "transfer_done": "Transfer complete",
    "reference": "Reference",
    "month": "Month",
    "csv": "Download CSV",
    "pdf": "Download PDF",
    "no_statement": "Nothing was posted to this account in this month.",
    "notes": "Notes",
    "no_notes": "No notes yet.",
    "new_note": "New note",
    "add_note": "Add note",
    "note_added": "The note was added.",
    "missing_title": "Not found",
    "missing": "There is no such record.",
}
_SUMMIT = {
    "bank": "Summit Federal Credit Union",
    "sign_in_title": "Staff sign-in",
    "notice_title": "What is new",
    "notice_text": "Member search now shows its results without loading the page again.",
    "notice_dismiss": "Got it",
    "sign_out": "Sign out",
    "last_name": "Surname",
    "number": "Member no.",
    "name": "Full name",
    "town": "Town",
    "accounts": "Shares and accounts",
    "account_number": "Account no.",
    "nickname": "Label",
    "available": "Usable now",
    "opened": "Opened on",
    "actions": "More",
    "transactions": "Activity",
    "statements": "Statement files",
    "change_address": "Edit address",
    "transfer": "Move money",
    "notes": "Remarks",
    "new_note": "New remark",
    "add_note": "Add remark",
    "no_notes": "No remarks yet.",
    "joined": "Joined",
}
_LAKESIDE = {
    "bank": "Lakeside Savings",
    "sign_in_title": "Welcome to Lakeside",
    "user_id": "Operator",
    "password": "Passphrase",
    "sign_in": "Log in",
    "wrong_password": "Operator or passphrase not recognised.",
    "sign_out": "Log off",
    "notice_title": "Before you start",
    "notice_text": "This console is for authorised staff. Use of it is recorded.",
    "notice_dismiss": "Continue",
    "home": "Desk",
    "search_title": "Find member",
    "member_number": "Member ID",
    "last_name": "Family name",
    "search": "Find",
    "number": "Member ID",
    "name": "Member name",
    "open_member": "Open",
    "type": "Account type",
    "account_number": "Account number",
    "nickname": "Purpose",
    "balance": "Current balance",
    "available": "Free to use",
    "opened": "Since",
    "transactions": "History",
    "street": "Street address",
    "zip_code": "Postal code",
    "save_address": "Update address",
    "from_account": "Take from",
    "to_account": "Pay into",
    "send_transfer": "Make transfer",
    "csv": "Get CSV",
    "pdf": "Get PDF",
}
_COLUMNS = {
    "members": ("number", "name", "town", "phone", "status"),
    "accounts": ("type", "account_number", "nickname", "balance", "available", "opened", "actions"),
    "transactions": ("date", "description", "amount", "running_balance"),
}
_SUMMIT_COLUMNS = {
    "members": ("name", "number", "status", "town", "phone"),
    "accounts": ("account_number", "nickname", "opened", "available", "balance", "type", "actions"),
    "transactions": ("description", "date", "running_balance", "amount"),
}
_LAKESIDE_COLUMNS = {
    "members": ("status", "number", "name", "town", "open_member"),
    "accounts": ("nickname", "type", "balance", "account_number", "available", "actions"),
    "transactions": ("date", "amount", "running_balance", "description"),
}


@dataclass(frozen=True, slots=True)
class Tenant:
    """One customer of the console's vendor; `columns` names the columns of each table in their order."""

    name: str
    words: Mapping[str, str]
    columns: Mapping[str, tuple[str, ...]]

    def headers(self, table: str) -> tuple[tuple[str, str], ...]:
        """Key and header of each column of a table."""
        return tuple((key, self.words[key]) for key in self.columns[table])


def _tenant(name: str, words: Mapping[str, str], columns: Mapping[str, tuple[str, ...]]) -> Tenant:
    return Tenant(name, MappingProxyType(_WORDS | dict(words)), MappingProxyType(dict(columns)))


TENANTS: Mapping[str, Tenant] = MappingProxyType(
    {
        "harbor": _tenant("harbor", {}, _COLUMNS),
        "summit": _tenant("summit", _SUMMIT, _SUMMIT_COLUMNS),
        "lakeside": _tenant("lakeside", _LAKESIDE, _LAKESIDE_COLUMNS),
    }
)
