-- What typst needs in its own way: pictures through `#picture`, wide tables on a page of their own,
-- columns as wide as their content asks for.
local function quoted(text)
  text = text:gsub("\\", "\\\\"):gsub('"', '\\"'):gsub("[\r\n]", " ")
  return '"' .. text .. '"'
end

-- `60%`, `3cm`, `200px` or `200` as a typst length; nil for anything else.
local function length(text)
  if not text then return nil end
  local number, unit = text:match("^%s*(%d+%.?%d*)%s*(%a*%%?)%s*$")
  if not number or tonumber(number) == 0 then return nil end
  if unit == "%" then
    return tonumber(number) <= 100 and number .. "%" or "100%"
  elseif unit == "" or unit == "px" then
    return string.format("%.2fpt", tonumber(number) * 0.75)
  elseif unit == "cm" or unit == "mm" or unit == "in" or unit == "pt" or unit == "em" then
    return number .. unit
  end
end

local function picture(image)
  local alt = pandoc.utils.stringify(image.caption)
  if alt == "" then alt = image.attributes.alt or image.title or "" end
  local code = "#picture(" .. quoted(image.src) .. ", alt: " .. (alt ~= "" and quoted(alt) or "none")
  local width, height = length(image.attributes.width), length(image.attributes.height)
  if width then code = code .. ", width: " .. width end
  if height and not height:match("%%$") then code = code .. ", height: " .. height end
  return pandoc.RawInline("typst", code .. ");")
end

local ALERTS = { note = true, tip = true, important = true, warning = true, caution = true }

local function diagram(div)
  local number = div.attributes.number
  if not div.classes:includes("diagram") or not (number or ""):match("^%d+$") then return nil end
  local out = pandoc.Blocks({ pandoc.RawBlock("typst", '#diagram("diagram:' .. number .. '")[') })
  out:extend(div.content)
  out:insert(pandoc.RawBlock("typst", "]"))
  return out
end

local function alert(div)
  for _, class in ipairs(div.classes) do
    if ALERTS[class] then
      local out = pandoc.Blocks({ pandoc.RawBlock("typst", '#alert("' .. class .. '")[') })
      out:extend(div.content)
      out:insert(pandoc.RawBlock("typst", "]"))
      return out
    end
  end
end

-- Long words ---------------------------------------------------------------------------------

-- Letters of these scripts may be cut anywhere; others join up, or break by themselves.
local function cuttable(text)
  for _, code in utf8.codes(text) do
    if code > 0x52F then return false end
  end
  return true
end

-- Words of more than `limit` letters become `#cut("...")`, which may break at any letter.
local function cut(str, limit)
  if #str.text <= limit then return nil end
  local count = utf8.len(str.text)
  if count and count > limit and cuttable(str.text) then
    return pandoc.RawInline("typst", "#cut(" .. quoted(str.text) .. ");")
  end
end

local function cut_code(code, limit)
  for word in code.text:gmatch("%S+") do
    local count = utf8.len(word)
    if count and count > limit and cuttable(word) then
      return pandoc.RawInline("typst", "#cut-code(" .. quoted(code.text) .. ");")
    end
  end
end

-- `--`, `...` and `-?` in typst's text mean a dash, an ellipsis and a hyphen; here they do not.
local function literal(str)
  local text = str.text
  if text:find("--", 1, true) or text:find("...", 1, true) or text:find("-?", 1, true) then
    return pandoc.RawInline("typst", "#" .. quoted(text) .. ";")
  end
end

local CODE_LIMIT <const> = 80

local function code_block(block)
  for word in block.text:gmatch("%S+") do
    if #word > CODE_LIMIT then
      return { pandoc.RawBlock("typst", "#long-code["), block, pandoc.RawBlock("typst", "]") }
    end
  end
end

local WIDE <const> = 11
-- Points across the text of a page, upright and flipped, and the letters' size by columns.
local PORTRAIT <const>, LANDSCAPE <const> = 470, 710
local function size(columns)
  return columns <= 5 and 9 or columns <= 8 and 8 or columns <= 12 and 7 or 6
end

local function grid(tbl)
  local count = #tbl.colspecs
  for place, spec in ipairs(tbl.colspecs) do
    local side = spec[1] == pandoc.AlignDefault and pandoc.AlignLeft or spec[1]
    tbl.colspecs[place] = { side, nil }
  end
  local width = count < WIDE and PORTRAIT or LANDSCAPE
  local limit = math.max(2, math.floor((width / count - 10) / (size(count) * 0.56)))
  tbl = tbl:walk({
    Str = function(str) return cut(str, limit) end,
    Code = function(code) return cut_code(code, limit) end,
  })
  if count < WIDE then return tbl end
  return { pandoc.RawBlock("typst", "#wide["), tbl, pandoc.RawBlock("typst", "]") }
end

local WORD_LIMIT <const> = 60

function Pandoc(document)
  document = document:walk({ Image = picture, Table = grid })
  return document:walk({
    Str = function(str) return cut(str, WORD_LIMIT) or literal(str) end,
    Code = function(code) return cut_code(code, WORD_LIMIT) end,
    Div = function(div) return alert(div) or diagram(div) end, CodeBlock = code_block,
  })
end
