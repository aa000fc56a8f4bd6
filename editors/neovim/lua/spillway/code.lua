--- Compiled code beside its source: one buffer for each source, which follows it.
local clients = require('spillway.client')

local M = {}

local api = vim.api
local filetype = 'spillwaycode'
local space = api.nvim_create_namespace('spillway-code')
local diff = vim.text and vim.text.diff or vim.diff

--- Kinds of marks (docs/protocol.md); the groups are `SpillwayStore` and so on.
local groups = {
  store = 'DiagnosticWarn',
  reload = 'DiagnosticWarn',
  move = 'DiagnosticInfo',
  recomputed = 'DiagnosticInfo',
  wait = 'DiagnosticHint',
  empty = 'NonText',
  elided = 'Comment',
}

local function group_of(kind)
  return 'Spillway' .. kind:sub(1, 1):upper() .. kind:sub(2)
end

for kind, like in pairs(groups) do
  vim.cmd(('highlight default link %s %s'):format(group_of(kind), like))
end

--- By buffer: the answer that it shows, and the client that gave it.
local shown = {}

local function buffer_where(holds)
  for buffer, view in pairs(shown) do
    if holds(view.code) then return buffer end
  end
end

local function lines_of(buffer)
  return api.nvim_buf_get_lines(buffer, 0, -1, false)
end

--- Only what differs is replaced, from the end on, so that cursors and views stay at their instructions.
local function set_text(buffer, text)
  local new = vim.split(text:gsub('\n$', ''), '\n')
  local hunks = diff(table.concat(lines_of(buffer), '\n') .. '\n', table.concat(new, '\n') .. '\n', { result_type = 'indices' })
  vim.bo[buffer].modifiable = true
  for i = #hunks, 1, -1 do
    local from, count, new_from, new_count = unpack(hunks[i])
    -- a hunk that only adds names the line before it
    local first = count == 0 and from or from - 1
    api.nvim_buf_set_lines(buffer, first, first + count, false, vim.list_slice(new, new_from, new_from + new_count - 1))
  end
  vim.bo[buffer].modifiable = false
end

local function draw_marks(buffer, marks)
  api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  local lines = lines_of(buffer)
  for _, mark in ipairs(marks) do
    local length = #(lines[mark.line + 1] or '')
    if groups[mark.kind] and mark.start < length then
      local range = { end_col = math.min(mark['end'], length), hl_group = group_of(mark.kind) }
      api.nvim_buf_set_extmark(buffer, space, mark.line, mark.start, range)
    end
  end
end

local function fill(buffer, client_id, code)
  shown[buffer] = { client_id = client_id, code = code }
  set_text(buffer, code.text)
  draw_marks(buffer, code.marks)
end

--- Asks for the newest text of what a buffer shows; `done` is called in any case while it shows that.
local function update(buffer, done)
  local view = shown[buffer]
  local uri = view.code.uri
  local function take(fault, code)
    if not shown[buffer] or shown[buffer].code.uri ~= uri then return end
    if not fault and code and code ~= vim.NIL then fill(buffer, view.client_id, code) end
    if done then done() end
  end
  local client = vim.lsp.get_client_by_id(view.client_id)
  local params = { textDocument = { uri = uri }, text = true }
  local source = vim.uri_to_bufnr(view.code.source)
  local sent = client and clients.request(client, 'spillway/compiledCode', params, take, source)
  if not sent then take() end
end

--- The other line of the first pair that has `line` at the place `from` (1: the code's, 2: the source's).
local function linked(links, line, from)
  for i = 1, #links - 1, 2 do
    if links[i + from - 1] == line then return links[i + 2 - from] end
  end
end

--- Goes to the line of the source's newest version.
local function go_to_source(buffer)
  update(buffer, function()
    if api.nvim_get_current_buf() ~= buffer then return end
    local code = shown[buffer].code
    local line = linked(code.links, api.nvim_win_get_cursor(0)[1] - 1, 1)
    if not line then return vim.notify('this line stands for none of the source') end
    local source = vim.uri_to_bufnr(code.source)
    local window = vim.fn.bufwinid(source)
    if window ~= -1 then
      api.nvim_set_current_win(window)
    else
      vim.cmd('leftabove vertical sbuffer ' .. source)
    end
    vim.cmd("normal! m'")
    api.nvim_win_set_cursor(0, { math.min(line + 1, api.nvim_buf_line_count(source)), 0 })
  end)
end

--- What the marks of the line under the cursor say.
local function explain(buffer)
  local line = api.nvim_win_get_cursor(0)[1] - 1
  local titles = {}
  for _, mark in ipairs(shown[buffer].code.marks) do
    if mark.line == line then table.insert(titles, mark.title) end
  end
  if #titles > 0 then vim.lsp.util.open_floating_preview(titles, 'text', {}) end
end

local function new_buffer(source)
  local buffer = api.nvim_create_buf(false, true)
  api.nvim_buf_set_name(buffer, 'spillway://' .. vim.uri_to_fname(source))
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = filetype
  vim.keymap.set('n', '<CR>', function() go_to_source(buffer) end, { buffer = buffer, desc = 'Go to the source line' })
  vim.keymap.set('n', 'K', function() explain(buffer) end, { buffer = buffer, desc = 'What is marked here' })
  api.nvim_create_autocmd('BufWipeout', { buffer = buffer, callback = function() shown[buffer] = nil end })
  return buffer
end

--- Goes to the window with compiled code, or opens one.
local function enter_window()
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    if vim.bo[api.nvim_win_get_buf(window)].filetype == filetype then return api.nvim_set_current_win(window) end
  end
  vim.cmd('belowright vsplit')
end

--- Shows an answer of spillway/compiledCode that has its text, at the code of a line of the source.
function M.show(client_id, code, source_line)
  local buffer = buffer_where(function(other) return other.source == code.source end) or new_buffer(code.source)
  fill(buffer, client_id, code)
  enter_window()
  api.nvim_win_set_buf(0, buffer)
  local line = linked(code.links, source_line, 2)
  if line then api.nvim_win_set_cursor(0, { line + 1, 0 }) end
end

--- Handler of spillway/compiledCodeChanged.
function M.on_changed(_, params)
  local buffer = buffer_where(function(code) return code.uri == params.uri end)
  if buffer then update(buffer) end
end

--- A client has come to a source: what is shown of it follows that client.
function M.on_attach(client, source)
  local uri = vim.uri_from_bufnr(source)
  local buffer = buffer_where(function(code) return code.source == uri end)
  if not buffer then return end
  shown[buffer].client_id = client.id
  update(buffer)
end

return M
