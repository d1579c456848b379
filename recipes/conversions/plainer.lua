-- What Markdown and plain text can hold: tables of single lines, no pictures inside the text.
-- Metadata: pictures (`beside`: each picture becomes a file next to the output), stem (the output's
-- name without its extension), titled (the title is part of what a reader sees).
local beside, stem = false, "output"
local dropped, written = 0, {}

local function joined(items, mark)
  local out = pandoc.Inlines({})
  for place, item in ipairs(items) do
    if place > 1 then out:extend({ pandoc.Str(";"), pandoc.Space() }) end
    if mark then out:extend({ pandoc.Str(place .. "."), pandoc.Space() }) end
    out:extend(pandoc.utils.blocks_to_inlines(item, { pandoc.Space() }))
  end
  return pandoc.Plain(out)
end

local function flat(blocks)
  local simple = blocks:walk({
    BulletList = function(list) return joined(list.content, false) end,
    OrderedList = function(list) return joined(list.content, true) end,
    CodeBlock = function(code) return pandoc.Plain({ pandoc.Code(code.text:gsub("%s*\n%s*", " ")) }) end,
  })
  local out = pandoc.utils.blocks_to_inlines(simple, { pandoc.Space() })
  return out:walk({
    LineBreak = function() return pandoc.Space() end,
    SoftBreak = function() return pandoc.Space() end,
  })
end

-- Every row as wide as the table: a spanned cell leaves empty ones behind.
local function rows(list, width, open)
  for _, row in ipairs(list) do
    local cells = pandoc.List({})
    local source = 1
    while #cells < width do
      local place = #cells + 1
      if (open[place] or 0) > 0 then
        open[place] = open[place] - 1
        cells:insert(pandoc.Cell({}))
      else
        local cell = row.cells[source]
        source = source + 1
        if not cell then
          cells:insert(pandoc.Cell({}))
        else
          for more = 0, cell.col_span - 1 do
            open[place + more] = cell.row_span - 1
          end
          local empty = cell.col_span - 1
          cell.contents = { pandoc.Plain(flat(cell.contents)) }
          cell.col_span, cell.row_span = 1, 1
          cells:insert(cell)
          for _ = 1, empty do
            if #cells < width then cells:insert(pandoc.Cell({})) end
          end
        end
      end
    end
    row.cells = cells
  end
end

local function single(tbl)
  local width = #tbl.colspecs
  for place, spec in ipairs(tbl.colspecs) do
    tbl.colspecs[place] = { spec[1], nil }
  end
  rows(tbl.head.rows, width, {})
  for _, body in ipairs(tbl.bodies) do
    local open = {}
    rows(body.head, width, open)
    rows(body.body, width, open)
  end
  rows(tbl.foot.rows, width, {})
  while #tbl.head.rows > 1 do
    table.insert(tbl.bodies[1].body, 1, table.remove(tbl.head.rows))
  end
  return tbl
end

-- What kind of picture some bytes are; nil when they are none, whatever their name says.
local function kind_of(content)
  local function starts(magic) return content:sub(1, #magic) == magic end
  if starts("\x89PNG\r\n\x1a\n") then return "png" end
  if starts("\xff\xd8\xff") then return "jpg" end
  if starts("GIF87a") or starts("GIF89a") then return "gif" end
  if starts("RIFF") and content:sub(9, 12) == "WEBP" then return "webp" end
  if starts("BM") then return "bmp" end
  if starts("II*\0") or starts("MM\0*") then return "tiff" end
  if starts("\1\0\0\0") and content:sub(41, 44) == " EMF" then return "emf" end
  if starts("\xd7\xcd\xc6\x9a") then return "wmf" end
  if content:sub(1, 1000):match("^%s*<") and content:sub(1, 4000):find("<svg", 1, true) then return "svg" end
end

-- What a picture holds: one of the document's own, in its bag or saved by the filter before.
local function bytes_of(image)
  local _, content = pandoc.mediabag.lookup(image.src)
  if content or not image.src:match("^/") then return content end
  local saved = os.getenv("TMPDIR") .. "/data-"
  if image.src:sub(1, #saved) ~= saved or not image.src:sub(#saved + 1):match("^%d+%.%w+$") then return nil end
  local file = io.open(image.src, "rb")
  if not file then return nil end
  content = file:read("a")
  file:close()
  return content
end

-- A picture of the document's own: a file beside the output, or its description.
local function own(image)
  local content = bytes_of(image)
  if not content and not image.src:match("^data:") and not image.src:match("^/") then return nil end
  local extension = content and kind_of(content)
  if beside and extension then
    if not written[image.src] then
      local number = 0
      for _ in pairs(written) do number = number + 1 end
      local name = string.format("-image%d.%s", number + 1, extension)
      local path = PANDOC_STATE.output_file:gsub("%.%w+$", "") .. name
      local file = assert(io.open(path, "wb"))
      file:write(content)
      file:close()
      written[image.src] = stem .. name
    end
    image.src = written[image.src]:gsub("[ ()<>%%]", function(c) return string.format("%%%02X", c:byte()) end)
    return image
  end
  dropped = dropped + 1
  local out = pandoc.Inlines({ pandoc.Str("[") })
  out:extend(#image.caption > 0 and image.caption or pandoc.Inlines("picture"))
  out:insert(pandoc.Str("]"))
  return out
end

local function report()
  local path = os.getenv("TMPDIR") .. "/report.json"
  local line = dropped .. " pictures are not part of the text (--preset pictures writes them beside it)"
  local file = assert(io.open(path, "w"))
  file:write(pandoc.json.encode({ warnings = { line } }))
  file:close()
end

-- A title kept apart from the text becomes its first heading, unless that says the same.
local function titled(document)
  local title = document.meta.title and pandoc.utils.stringify(document.meta.title) or ""
  local first = document.blocks[1]
  local again = first and first.t == "Header" and pandoc.utils.stringify(first) == title
  if title ~= "" and not again then document.blocks:insert(1, pandoc.Header(1, title)) end
end

function Pandoc(document)
  local meta = document.meta
  beside = meta.pictures ~= nil and pandoc.utils.stringify(meta.pictures) == "beside"
  stem = meta.stem and pandoc.utils.stringify(meta.stem) or stem
  if meta.titled then titled(document) end
  meta.pictures, meta.stem, meta.titled = nil, nil, nil
  document = document:walk({ Table = single }):walk({ Image = own })
  if dropped > 0 then report() end
  return document
end
