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

local WIDE = 11

local function grid(table)
  for place, spec in ipairs(table.colspecs) do
    local side = spec[1] == pandoc.AlignDefault and pandoc.AlignLeft or spec[1]
    table.colspecs[place] = { side, nil }
  end
  if #table.colspecs < WIDE then return table end
  return {
    pandoc.RawBlock("typst", "#wide["), table, pandoc.RawBlock("typst", "]"),
  }
end

function Pandoc(document)
  return document:walk({ Image = picture }):walk({ Div = alert, Table = grid })
end
