-- The document as pandoc read it, made safe and whole before it is written: only known metadata,
-- raw HTML turned into structure or dropped, references to pictures gathered in wanted.json.
-- Run with TMPDIR = the job's scratch folder. Works for every reader, not for Markdown alone.
local tmp = os.getenv("TMPDIR")
local wanted, seen, inline_pictures, diagrams = {}, {}, {}, {}
local warnings, warned = {}, {}

local function warn(line)
  if not warned[line] then
    warned[line] = true
    warnings[#warnings + 1] = line
  end
end

local function write(name, value)
  local file = assert(io.open(tmp .. "/" .. name, "w"))
  file:write(pandoc.json.encode(value))
  file:close()
end

local KEPT = {
  title = true, subtitle = true, author = true, date = true, lang = true, abstract = true,
  toc = true, keywords = true, description = true, subject = true, pictures = true, stem = true,
  titled = true,
}

local function clean_metadata(meta)
  for key in pairs(meta) do
    if not KEPT[key] then meta[key] = nil end
  end
  for _, key in ipairs({ "lang", "toc" }) do
    local value = meta[key]
    if key == "lang" and value then
      local text = pandoc.utils.stringify(value)
      meta.lang = text:match("^%a%a%a?$") or text:match("^%a%a%a?%-[%w%-]+$")
    elseif value ~= nil and pandoc.utils.type(value) ~= "boolean" then
      meta[key] = nil
    end
  end
  return meta
end

-- Pictures -----------------------------------------------------------------------------------

local EXTENSIONS = {
  ["image/png"] = "png", ["image/jpeg"] = "jpg", ["image/gif"] = "gif", ["image/webp"] = "webp",
  ["image/svg+xml"] = "svg", ["image/bmp"] = "bmp", ["image/tiff"] = "tiff",
}

-- A picture that the document holds itself becomes a file of the job.
local function save(mime, content, address)
  local extension = mime and EXTENSIONS[mime:match("^[^;]+")] or address:match("%.(%w+)$")
  if not extension or not content or #content == 0 then return nil end
  local name = string.format("%s/data-%d.%s", tmp, #inline_pictures + 1, extension)
  local file = assert(io.open(name, "wb"))
  file:write(content)
  file:close()
  inline_pictures[#inline_pictures + 1] = { reference = name, kind = extension }
  return name
end

local function gather(image)
  local source = image.src
  if source:match("^[dD][aA][tT][aA]:") then
    local ok, mime, content = pcall(pandoc.mediabag.fetch, source)
    image.src = ok and save(mime, content, "") or "data:"
    return image
  end
  local mime, content = pandoc.mediabag.lookup(source)
  if content then
    image.src = save(mime, content, source) or source
    return image
  end
  if not seen[source] then
    seen[source] = true
    wanted[#wanted + 1] = source
  end
  return image
end

-- Diagrams -----------------------------------------------------------------------------------

-- A Mermaid block is left with its number, for the step that writes the document to replace.
local function numbered(block)
  if not block.classes:includes("mermaid") then return nil end
  diagrams[#diagrams + 1] = block.text
  return pandoc.Div({ block }, pandoc.Attr("", { "diagram" }, { number = tostring(#diagrams) }))
end

-- Raw HTML -----------------------------------------------------------------------------------

local function parsed(html)
  local ok, document = pcall(pandoc.read, html, "html-native_divs-native_spans")
  return ok and document.blocks or nil
end

local function tag_of(element)
  if (element.t == "RawInline" or element.t == "RawBlock") and element.format:match("^html") then
    return element.text:match("^%s*<(/?%a[%w]*)"), element.text
  end
end

local WRAP = {
  sub = pandoc.Subscript, sup = pandoc.Superscript, b = pandoc.Strong, strong = pandoc.Strong,
  i = pandoc.Emph, em = pandoc.Emph, u = pandoc.Underline, ins = pandoc.Underline,
  s = pandoc.Strikeout, del = pandoc.Strikeout, strike = pandoc.Strikeout, q = nil,
}

local function one_inline(html)
  local blocks = parsed(html)
  local first = blocks and blocks[1]
  if first and (first.t == "Para" or first.t == "Plain") then return first.content end
end

local function address_of(html)
  local link = one_inline(html .. "x</a>")
  return link and link[1] and link[1].t == "Link" and link[1].target or nil
end

-- The place of the closing tag that belongs to an opening one at `start`.
local function closing(list, start, name)
  local depth = 0
  for place = start, #list do
    local tag = tag_of(list[place])
    if tag then
      tag = tag:lower()
      if tag == name then depth = depth + 1 end
      if tag == "/" .. name then
        depth = depth - 1
        if depth == 0 then return place end
      end
    end
  end
end

local function inlines(list)
  local out, place = pandoc.Inlines({}), 1
  while place <= #list do
    local tag, html = tag_of(list[place])
    local name = tag and tag:lower()
    local finish = name and (WRAP[name] or name == "a") and closing(list, place, name)
    if not tag then
      if list[place].t ~= "RawInline" then out:insert(list[place]) end
    elseif name == "img" then
      out:extend(one_inline(html) or {})
    elseif name == "br" then
      out:insert(pandoc.LineBreak())
    elseif finish then
      local inner = inlines(pandoc.Inlines({ table.unpack(list, place + 1, finish - 1) }))
      if name == "a" then
        local target = address_of(html)
        if target and target ~= "" then inner = { pandoc.Link(inner, target) } end
      else
        inner = { WRAP[name](inner) }
      end
      out:extend(inner)
      place = finish
    end
    place = place + 1
  end
  return out
end

local function as_html(blocks)
  local parts = {}
  for _, block in ipairs(blocks) do
    local tag = tag_of(block)
    parts[#parts + 1] = tag and block.text
      or pandoc.write(pandoc.Pandoc({ block }), "html", { html_math_method = "mathml" })
  end
  return table.concat(parts, "\n")
end

local DROPPED = { script = true, style = true, iframe = true, object = true, noscript = true }
local READ_WHOLE = { table = true, dl = true, figure = true, picture = true }

local function blocks(list)
  local out, place = pandoc.Blocks({}), 1
  while place <= #list do
    local block = list[place]
    local tag, html = tag_of(block)
    local name = tag and tag:lower()
    if not tag then
      if block.t ~= "RawBlock" then out:insert(block) end
    elseif DROPPED[name] then
      place = closing(list, place, name) or place
    elseif READ_WHOLE[name] then
      local finish = closing(list, place, name) or place
      out:extend(parsed(as_html({ table.unpack(list, place, finish) })) or {})
      place = finish
    elseif name == "hr" then
      out:insert(pandoc.HorizontalRule())
    elseif not html:match("^%s*</?[%w]+[^>]*>%s*$") then
      -- A whole piece of HTML in one block: comments give nothing, the rest is read as HTML.
      out:extend(parsed(html) or {})
    elseif name == "img" then
      out:extend(parsed(html) or {})
    end
    place = place + 1
  end
  return out
end

-- Links --------------------------------------------------------------------------------------

local function identifiers(document)
  local known = {}
  local function note(element)
    if element.identifier ~= "" then known[element.identifier] = true end
  end
  document:walk({
    Header = note, Div = note, Span = note, CodeBlock = note, Code = note, Table = note,
    Figure = note, Image = note, Link = note,
  })
  return known
end

local function decoded(text)
  return (text:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
end

-- What a link may lead to; an address without a scheme lies beside the document.
local SCHEMES = {}
for scheme in ([[
  http https ftp ftps sftp file mailto tel sms geo xmpp irc ircs news doi urn magnet git ssh
]]):gmatch("%S+") do
  SCHEMES[scheme] = true
end

-- Readers skip white space and control characters wherever they stand in an address.
local function harmless(target)
  local bare = target:gsub("[\0-\32\127]", ""):gsub("\194[\128-\160]", ""):lower()
  local scheme = bare:match("^([^/?#:]*):")
  return bare ~= "" and (scheme == nil or SCHEMES[scheme] == true)
end

-- Links that lead nowhere keep their words; targets within the document must exist.
local function mend_links(document)
  local known = identifiers(document)
  return document:walk({
    Link = function(link)
      local inner = link.target:match("^#(.*)$")
      if inner then
        if known[inner] then return nil end
        local other = decoded(inner)
        for _, guess in ipairs({ other, other:lower(), "user-content-" .. other }) do
          if known[guess] then
            link.target = "#" .. guess
            return link
          end
        end
        return link.content
      end
      if not harmless(link.target) then return link.content end
    end,
  })
end

-- Attributes that say how something looks; one that runs or loads something is none of them.
local ATTRIBUTES = {}
for name in ([[
  width height alt number startFrom lang dir align valign custom-style colspan rowspan start
]]):gmatch("%S+") do
  ATTRIBUTES[name] = true
end

local function plain_attributes(element)
  for name, value in pairs(element.attributes) do
    -- No brackets, so no `url(...)`; nothing that lays itself over other things.
    local style = name == "style" and not value:match("[^%w%s:;#.,%%-]") and not value:match("position")
    if not ATTRIBUTES[name] and not style then element.attributes[name] = nil end
  end
  return element
end

local function plain_table(tbl)
  local groups = { tbl.head.rows, tbl.foot.rows }
  for _, body in ipairs(tbl.bodies) do
    plain_attributes(body)
    groups[#groups + 1], groups[#groups + 2] = body.head, body.body
  end
  for _, rows in ipairs(groups) do
    for _, row in ipairs(rows) do
      plain_attributes(row)
      for _, cell in ipairs(row.cells) do plain_attributes(cell) end
    end
  end
  plain_attributes(tbl.head)
  plain_attributes(tbl.foot)
  return plain_attributes(tbl)
end

local function plain(document)
  return document:walk({
    Header = plain_attributes, Div = plain_attributes, Span = plain_attributes,
    Link = plain_attributes, Image = plain_attributes, Code = plain_attributes,
    CodeBlock = plain_attributes, Figure = plain_attributes, Table = plain_table,
  })
end

-- Every identifier once: a second one would stop the layout of links to it.
local function unique_identifiers(document)
  local used = {}
  local function once(element)
    if element.identifier == "" then return nil end
    if used[element.identifier] then
      element.identifier = ""
      return element
    end
    used[element.identifier] = true
  end
  return document:walk({
    traverse = "topdown", Header = once, Div = once, Span = once, Table = once, Figure = once,
    CodeBlock = once, Link = once, Image = once, Code = once,
  })
end

-- To hand every list over to Lua is slow; most documents hold no HTML, or comments only.
local function without_html(document)
  local raw = {}
  local function note(element)
    raw[element.t] = true
  end
  document:walk({ RawInline = note, RawBlock = note })
  if raw.RawInline then document = document:walk({ Inlines = inlines }) end
  if raw.RawBlock then document = document:walk({ Blocks = blocks }) end
  return document
end

function Pandoc(document)
  document.meta = clean_metadata(document.meta)
  document = without_html(document)
  document = document:walk({ Image = gather, CodeBlock = numbered })
  document = plain(unique_identifiers(mend_links(document)))
  write("wanted.json", wanted)
  write("inline.json", inline_pictures)
  if #diagrams > 0 then write("diagrams.json", diagrams) end
  if #warnings > 0 then write("report.json", { warnings = warnings }) end
  return document
end
