-- Write FOLDER/rich.FORMAT of a text in Markdown for each format: pandoc lua write.lua SOURCE FOLDER FORMAT...
local source, folder = arg[1], arg[2]
local file = assert(io.open(source))
local read = pandoc.read(file:read("a"), "markdown+emoji+mark")
file:close()
pandoc.mediabag.insert("p.png", "image/png", "\137PNG\r\n\26\n")
read = pandoc.utils.citeproc(read)
read.meta.references = nil
for at = 3, #arg do
  local format = arg[at]
  local template = pandoc.template.compile(pandoc.template.default(format))
  local text = pandoc.write(read, format, {template = template, wrap_text = "none", html_math_method = "mathml"})
  local made = assert(io.open(folder .. "/rich." .. format, "wb"))
  made:write(text)
  made:close()
end
