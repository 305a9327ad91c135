"""Exports of other programs, as those write them, with all the fields that they have."""

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Files = dict[str, bytes]
"""Contents by paths."""

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(99))
PDF = b"%PDF-1.4\n%%EOF\n"
A, B, C, D, E, F, G, H, J, K = (letter * 32 for letter in "abcdef1234")


def encoded(files: Mapping[str, Any]) -> Files:
    """Return values as JSON, bytes as they are."""
    return {
        path: value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False, indent=1).encode()
        for path, value in files.items()
    }


def written(folder: Path, files: Files) -> Path:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def zipped(files: Files) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return stream.getvalue()


KEEP_NOTE = {
    "color": "RED", "isTrashed": False, "isPinned": True, "isArchived": True, "title": "Shop 🛒/Sunday",
    "textContent": "For Sunday", "textContentHtml": "<p>For Sunday</p>",
    "listContent": [
        {"text": "milk", "textHtml": "<p>milk</p>", "isChecked": True},
        {"text": "tea", "textHtml": "<p>tea</p>", "isChecked": False},
    ],
    "labels": [{"name": "to buy"}, {"name": "home"}],
    "annotations": [{"description": "A shop", "source": "WEBLINK", "title": "Site", "url": "https://example.org"}],
    "attachments": [
        {"filePath": "a.jpeg", "mimetype": "image/jpeg"}, {"filePath": "gone.3gp", "mimetype": "audio/3gpp"},
        {"filePath": "../../../secret.png", "mimetype": "image/png"},
    ],
    "sharees": [
        {"isOwner": True, "type": "WRITER", "email": "me@example.org"},
        {"isOwner": False, "type": "WRITER", "email": "ann@example.org"},
    ],
    "userEditedTimestampUsec": 1769853600000000, "createdTimestampUsec": -86400000000,
}  # fmt: skip


def keep(text: str = "For Sunday") -> Files:
    return encoded(
        {
            "Takeout/archive_browser.html": b"<html>Archive</html>",
            "Takeout/Keep/Labels.txt": b"to buy\nhome\n",
            "Takeout/Keep/Shop _Sunday.json": KEEP_NOTE | {"textContent": text},
            "Takeout/Keep/Shop _Sunday.html": b"<html>For Sunday</html>",
            "Takeout/Keep/Plain.json": {"title": "", "textContent": "Plain words", "userEditedTimestampUsec": 0},
            "Takeout/Keep/Old.json": KEEP_NOTE | {"isTrashed": True},
            "Takeout/Keep/a.jpg": PNG,
        }
    )


def slack(text: str = "Hi") -> Files:
    return encoded(
        {
            "users.json": [
                {"id": "U1", "name": "ann", "profile": {"real_name": "Ann Lee", "display_name": "ann"}},
                {"id": "U2", "name": "bo", "deleted": True},
            ],
            "channels.json": [{"id": "C1", "name": "general", "members": ["U1", "U2"], "topic": {"value": "All"}}],
            "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
            "integration_logs.json": [],
            "general/2026-01-31.json": [
                {
                    "type": "message", "ts": "1769853600.000100", "thread_ts": "1769853600.000100", "user": "U1",
                    "client_msg_id": "x", "team": "T1", "reply_count": 1,
                    "text": f"{text} <@U2> &amp; <#C1|random>: <https://example.org|site> *bold* _it_ ~gone~ "
                    "```# x\ny```",
                    "edited": {"user": "U1", "ts": "1769853660.000000"},
                    "reactions": [{"name": "tada", "users": ["U2"], "count": 1}],
                    "files": [
                        {"id": "F1", "name": "plan.pdf", "title": "Plan", "mimetype": "application/pdf",
                         "url_private": "https://files.slack.com/plan.pdf?t=xoxe-secret"},
                    ],
                },
                {"type": "message", "ts": "1769853700.0", "thread_ts": "1769853600.000100", "user": "U2",
                 "text": "# Yes"},
                {"type": "message", "subtype": "bot_message", "ts": "x", "bot_profile": {"name": "Bot"}, "text": "",
                 "blocks": [{"type": "rich_text", "elements": [{"type": "section", "text": {"text": "beep"}}]}],
                 "attachments": [{"title": "News", "title_link": "https://news.org", "text": "Big\nnews"}]},
            ],
            "general/2026-02-01.json": [
                {"type": "message", "subtype": "channel_join", "ts": "1769940000.0", "user": "U2",
                 "text": "<@U2> has joined the channel"},
            ],
            "D1/2026-02-02.json": [
                {"type": "message", "ts": "1770026400.0", "user": "U9", "user_profile": {"real_name": "Guest"},
                 "text": "Secret talk"},
            ],
        }
    )  # fmt: skip


def telegram_chat(name: str, text: str, number: int) -> dict[str, Any]:
    message = {"type": "message", "date_unixtime": "1769853900", "from": "Bo", "from_id": "user1"}
    return {
        "name": name, "type": "personal_chat", "id": number,
        "messages": [
            message | {
                "id": 1, "date": "2026-01-31T10:05:00", "edited": "2026-01-31T11:00:00", "forwarded_from": "News",
                "text_entities": [
                    {"type": "plain", "text": f"{text} "}, {"type": "text_link", "text": "x", "href": "https://a.org/(b)"},
                    {"type": "bold", "text": " strong "}, {"type": "pre", "text": "a = 1", "language": "python"},
                    {"type": "hashtag", "text": "#pond"}, {"type": "blockquote", "text": "said\nso"},
                ],
                "text": ["unused"],
                "reactions": [{"type": "emoji", "count": 2, "emoji": "👍", "recent": []}],
            },
            message | {"id": 2, "date": "2026-01-31T10:06:00", "from": "Ann", "reply_to_message_id": 1,
                       "text": "# Thanks",
                       "photo": "photos/p.png", "width": 1, "height": 1},
            message | {"id": 3, "date": "2026-02-01T09:00:00", "text": "", "file": "files/plan.pdf",
                       "file_name": "plan.pdf", "mime_type": "application/pdf"},
            message | {"id": 4, "date": "2026-02-01T09:01:00", "text": "", "media_type": "voice_message",
                       "file": "(File not included. Change data exporting settings to download.)"},
            message | {"id": 5, "date": "2026-02-01T09:02:00", "text": "", "photo": "../../secret.png"},
            message | {"id": 6, "date": "2026-02-01T09:03:00", "text": "",
                       "poll": {"question": "When?", "closed": False, "total_voters": 3, "answers": [
                           {"text": "now", "voters": 2, "chosen": True},
                           {"text": "later", "voters": 1, "chosen": False}]}},
            message | {"id": 7, "date": "2026-02-01T09:04:00", "text": "", "place_name": "Pond", "address": "Hill 1",
                       "location_information": {"latitude": 1.5, "longitude": -2.25}},
            message | {"id": 8, "date": "2026-02-01T09:05:00", "text": "",
                       "contact_information": {"first_name": "Cy", "last_name": "Doe", "phone_number": "+1 23"}},
            {"id": 9, "type": "service", "date": "2026-02-01T09:06:00", "actor": "Bo", "actor_id": "user1",
             "action": "invite_members", "members": ["Cy", None], "text": ""},
            {"id": 10, "type": "service", "date": "2026-02-01T09:07:00", "actor": "Bo", "actor_id": "user1",
             "action": "phone_call", "duration_seconds": 61, "discard_reason": "hangup", "text": ""},
            {"id": 11, "type": "message", "date": "1969-12-31T23:00:00", "from": None, "from_id": "channel1",
             "text": "Old"},
        ],
    }  # fmt: skip


def telegram(text: str = "See") -> Files:
    chats = [telegram_chat("Bo", text, 2), telegram_chat("Bo", "Other", 1)]
    left = [telegram_chat("a/b 🐸", "Frog", 3)]
    return encoded(
        {
            "ChatExport_2026/result.json": {
                "about": "Your data",
                "chats": {"about": "Chats", "list": chats},
                "left_chats": {"list": left},
            },
            "ChatExport_2026/photos/p.png": PNG,
            "ChatExport_2026/files/plan.pdf": PDF,
        }
    )


def joplin_items(text: str) -> dict[str, str]:
    return {
        A: "Ponds\n\nid: {id}\nparent_id: {a}\ntype_: 2",
        B: f'Newts\n\n{text} [frogs](:/{C}#top) ![](:/{D}) <img src=":/{D}" width="1"/> [gone](:/{"9" * 32})'
        "\n\n- a\n\n- b"
        "\n\nid: {id}\nparent_id: {a}\ncreated_time: 2026-02-01T10:00:00.000Z\nupdated_time: 2026-02-02T10:00:00.000Z\n"
        "is_conflict: 0\nlatitude: 1.50000000\nlongitude: 2.00000000\naltitude: 0.0000\nauthor: Ann\n"
        "source_url: https://example.org\nis_todo: 1\ntodo_due: 1769853600000\ntodo_completed: 1769853600000\n"
        "user_created_time: 2026-01-31T10:00:00.000Z\nuser_updated_time: 2026-02-02T10:00:00.000Z\n"
        "encryption_cipher_text: \nencryption_applied: 0\nmarkup_language: 1\nis_shared: 0\ndeleted_time: 0\ntype_: 1",
        C: "Frogs\n\n<p>Green <b>frog</b></p>\n\nid: {id}\nparent_id: \nmarkup_language: 2\ntype_: 1",
        D: "newt.png\n\nid: {id}\nmime: image/png\nfile_extension: png\nsize: 9\ntype_: 4",
        E: "amphi bians\n\nid: {id}\ntype_: 5",
        F: "id: {id}\nnote_id: {b}\ntag_id: {e}\ntype_: 6",
        G: "\n\n\n\nid: {id}\nencryption_cipher_text: JED\nencryption_applied: 1\ntype_: 1",
        H: "Bin\n\nBinned\n\nid: {id}\ndeleted_time: 1769853600000\ntype_: 1",
        K: "lost.pdf\n\nid: {id}\nfile_extension: pdf\ntype_: 4",
        J: f"Lost\n\n[lost](:/{K})\n\nid: {{id}}\nparent_id: {{a}}\ntype_: 1",
    }


def jex(items: Mapping[str, str], resources: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        texts = {f"{key}.md": text.replace("{id}", key) for key, text in items.items()}
        for letter, key in zip("abe", (A, B, E), strict=True):
            texts = {path: text.replace(f"{{{letter}}}", key) for path, text in texts.items()}
        for path, data in ({path: text.encode() for path, text in texts.items()} | dict(resources)).items():
            member = tarfile.TarInfo(path)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo(f"resources/{K}.pdf")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
    return stream.getvalue()


def joplin(text: str = "See") -> Files:
    return {"export.jex": jex(joplin_items(text), {f"resources/{D}.png": PNG})}


PROGRAMS = {"keep": keep, "slack": slack, "telegram": telegram, "joplin": joplin}
"""How each export is made, with a text in one of its notes."""
