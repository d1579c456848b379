-- The document before it is written: pictures that are there go in, the others leave their
-- description. pictures.json (in TMPDIR) says which file a reference stands for.
local tmp = os.getenv("TMPDIR")

local function read(name)
  local file = io.open(tmp .. "/" .. name, "rb")
  if not file then return nil end
  local content = file:read("a")
  file:close()
  return content
end

local pictures = pandoc.json.decode(read("pictures.json") or "{}", false)

local MIME = {
  png = "image/png", jpg = "image/jpeg", gif = "image/gif", svg = "image/svg+xml",
  webp = "image/webp", bmp = "image/bmp",
}

local function contents(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local content = file:read("a")
  file:close()
  return content
end

local function placed(image)
  local entry = pictures[image.src]
  local content = entry and contents(entry.path)
  if content then
    image.src = entry.name
    pandoc.mediabag.insert(entry.name, MIME[entry.kind] or "application/octet-stream", content)
    return image
  end
  local words = #image.caption > 0 and image.caption
    or pandoc.Inlines(pandoc.Str(image.title ~= "" and image.title or "picture"))
  local out = pandoc.Inlines({ pandoc.Str("[") })
  out:extend(words)
  out:insert(pandoc.Str("]"))
  return pandoc.Span(out, { class = "missing-picture" })
end

-- A diagram that could not be drawn stays its text. It is drawn at twice its size.
local function diagram(div)
  local number = div.attributes.number
  if not div.classes:includes("diagram") or not number then return nil end
  local entry = pictures["diagram:" .. number]
  local content = entry and contents(entry.path)
  if not content or content:sub(13, 16) ~= "IHDR" then return div.content end
  local width = string.unpack(">I4", content, 17)
  -- A deck would print the words below.
  local words = FORMAT == "pptx" and {} or { pandoc.Str("diagram") }
  local image = pandoc.Image(words, "diagram:" .. number)
  image.attributes.width = math.ceil(width / 2) .. "px"
  return pandoc.Para({ placed(image) })
end

-- A figure whose picture is missing is no figure any more.
local function figure(block)
  local pictured = false
  block:walk({ Image = function() pictured = true end, Table = function() pictured = true end })
  if not pictured then return block.content end
end

-- Formats that must have a title take the file's name where the document has none.
local function titled(meta)
  local fallback = meta["fallback-title"]
  meta["fallback-title"] = nil
  if fallback and not meta.title then
    if FORMAT:match("^html") then
      meta.pagetitle = fallback
    else
      meta.title = fallback
    end
  end
end

function Pandoc(document)
  titled(document.meta)
  return document:walk({ Image = placed }):walk({ Figure = figure, Div = diagram })
end
