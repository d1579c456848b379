-- Decks: what does not fit on one slide goes on to the next, tables with their header again.
local LINES <const> = 11
-- Letters across a slide: of text, and of code, whose letters are wider.
local CHARS <const>, CODE_CHARS <const> = 53, 36
local WIDE <const> = 0x1100

-- How many letters wide a text is; the letters of East Asia are twice as wide as others.
local function width(text)
  local sum = 0
  for _, code in utf8.codes(text, true) do sum = sum + (code < WIDE and 1 or 2) end
  return sum
end

local function inline_width(content)
  local sum = width(pandoc.utils.stringify(content))
  local function wider(code) sum = sum + width(code.text) * (CHARS / CODE_CHARS - 1) end
  pandoc.Plain(content):walk({ Code = wider, LineBreak = function() sum = sum + CHARS / 2 end })
  return sum
end

-- The lines of code and what each takes up, the space between them included.
local function code_lines(text)
  local lines = pandoc.List({})
  for line in (text .. "\n"):gmatch("(.-)\n") do
    lines:insert({ text = line, height = math.max(1, math.ceil(width(line) / CODE_CHARS)) + 0.5 })
  end
  return lines
end

local function height(block)
  local kind = block.t
  if kind == "Table" then
    local count = #block.head.rows
    for _, body in ipairs(block.bodies) do count = count + #body.body end
    return count * 0.9
  elseif kind == "CodeBlock" then
    local sum = 0
    for _, line in ipairs(code_lines(block.text)) do sum = sum + line.height end
    return sum
  elseif kind == "BulletList" or kind == "OrderedList" then
    local sum = 0
    for _, item in ipairs(block.content) do
      for _, inner in ipairs(item) do sum = sum + height(inner) end
    end
    return sum
  elseif kind == "DefinitionList" then
    return 2 * #block.content
  elseif kind == "Para" or kind == "Plain" then
    return math.ceil(inline_width(block.content) / CHARS)
  elseif block.content and (kind == "Div" or kind == "BlockQuote" or kind == "Figure") then
    local sum = 0
    for _, inner in ipairs(block.content) do sum = sum + height(inner) end
    return sum
  end
  return math.ceil(width(pandoc.utils.stringify(block)) / CHARS)
end

-- A paragraph cut after sentences, or after words where a sentence is longer than a slide.
local function paragraphs(para)
  local out, part, sentence = pandoc.List({}), pandoc.Inlines({}), 0
  for _, inline in ipairs(para.content) do
    part:insert(inline)
    local before = part[#part - 1]
    if inline.t == "Space" or inline.t == "SoftBreak" then
      if before and before.t == "Str" and before.text:match("[.!?;:]$") then sentence = #part end
      if inline_width(part) > (LINES - 1) * CHARS then
        local cut = sentence > 0 and sentence or #part
        out:insert(pandoc.Para({ table.unpack(part, 1, cut - 1) }))
        part, sentence = pandoc.Inlines({ table.unpack(part, cut + 1) }), 0
      end
    end
  end
  if #part > 0 then out:insert(pandoc.Para(part)) end
  return out
end

-- A block cut into pieces that fit; most blocks are one piece.
local function pieces(block)
  local out = pandoc.List({})
  if block.t == "Table" and height(block) > LINES then
    local all = pandoc.List({})
    for _, body in ipairs(block.bodies) do all:extend(body.body) end
    local step = math.max(1, LINES - #block.head.rows)
    for start = 1, #all, step do
      local part = block:clone()
      part.bodies = { block.bodies[1]:clone() }
      part.bodies[1].body = { table.unpack(all, start, math.min(start + step - 1, #all)) }
      out:insert(part)
    end
    return out
  elseif block.t == "CodeBlock" and height(block) > LINES then
    local part, sum = pandoc.List({}), 0
    local function flush()
      if #part > 0 then out:insert(pandoc.CodeBlock(table.concat(part, "\n"), block.attr)) end
      part, sum = pandoc.List({}), 0
    end
    for _, line in ipairs(code_lines(block.text)) do
      if sum + line.height > LINES then flush() end
      part:insert(line.text)
      sum = sum + line.height
    end
    flush()
    return out
  elseif block.t == "Para" and height(block) > LINES then
    return paragraphs(block)
  elseif (block.t == "BulletList" or block.t == "OrderedList") and height(block) > LINES then
    local part, sum, begun = pandoc.List({}), 0, 1
    local function flush(next_start)
      if #part == 0 then return end
      if block.t == "BulletList" then
        out:insert(pandoc.BulletList(part))
      else
        local attributes = block.listAttributes:clone()
        attributes.start = block.listAttributes.start + begun - 1
        out:insert(pandoc.OrderedList(part, attributes))
      end
      part, sum, begun = pandoc.List({}), 0, next_start
    end
    for place, item in ipairs(block.content) do
      local size = 0
      for _, inner in ipairs(item) do size = size + height(inner) end
      if sum > 0 and sum + size > LINES then flush(place) end
      part:insert(item)
      sum = sum + size
    end
    flush(0)
    return out
  end
  out:insert(block)
  return out
end

-- Slides begin at level 2 (see the recipe): every piece of content stands below such a heading.
local SLIDE <const> = 2

local function levelled(blocks)
  local deeper = false
  for _, block in ipairs(blocks) do
    deeper = deeper or (block.t == "Header" and block.level == SLIDE)
  end
  local out = pandoc.Blocks({})
  for place, block in ipairs(blocks) do
    local following = blocks[place + 1]
    if block.t == "Header" and block.level < SLIDE and not deeper then
      block.level = SLIDE
      out:insert(block)
    elseif block.t == "Header" and block.level < SLIDE and following and following.t ~= "Header" then
      out:insert(block)
      out:insert(pandoc.Header(SLIDE, block.content))
    else
      out:insert(block)
    end
  end
  return out
end

function Pandoc(document)
  document.blocks = levelled(document.blocks)
  local level = SLIDE
  local out, used, heading = pandoc.Blocks({}), 0, nil
  local function next_slide()
    if heading then
      local again = heading:clone()
      again.identifier = ""
      out:insert(again)
    else
      out:insert(pandoc.HorizontalRule())
    end
    used = 0
  end
  for _, block in ipairs(document.blocks) do
    if block.t == "Header" and block.level <= level then
      heading, used = block, 0
      out:insert(block)
    elseif block.t == "HorizontalRule" then
      used = 0
      out:insert(block)
    else
      if block.t == "Header" then block = pandoc.Para({ pandoc.Strong(block.content) }) end
      for _, piece in ipairs(pieces(block)) do
        local size = height(piece)
        local tall = piece.t == "Table" or piece.t == "Figure" or piece.t == "CodeBlock"
        if used > 0 and (used + size > LINES or tall) then next_slide() end
        out:insert(piece)
        used = used + math.max(size, tall and LINES or 1)
      end
    end
  end
  document.blocks = out
  return document
end
