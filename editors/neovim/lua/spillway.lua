--- Spillway in Neovim 0.7 and newer, without plugins. In init.lua:
---
---   vim.opt.runtimepath:append('/path/to/spillway/editors/neovim')
---   require('spillway').setup({})
---
--- Options, all of them optional:
---   cmd          how to start the server: { 'spillway', 'serve', '--stdio' }
---   settings     the section `spillway` of docs/settings.md, nested: { inlayHints = { pressure = 'all' } }
---   is_trusted   whether the server may start ptxas where the settings name it: false
---   code_lens    figures above functions: true
---   inlay_hints  pressure and stalls at the ends of lines, from Neovim 0.10 on: true
---   flags        passed on to the client, such as { debounce_text_changes = 50 }
local clients = require('spillway.client')
local compiled = require('spillway.code')

local M = {}

local extensions = { ptx = 'ptx', gpir = 'gpir', gen = 'gen-ir' }
local filetypes = vim.tbl_values(extensions)
--- Commands that lenses may carry because they are defined below.
local commands = { 'spillway.showPeak', 'spillway.showCompiledCode' }

local options = {
  cmd = { 'spillway', 'serve', '--stdio' },
  settings = {},
  is_trusted = false,
  code_lens = true,
  inlay_hints = true,
  flags = {},
}

--- The folder of the repository that a file is in, else its own.
local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ':p:h')
  local git = vim.fn.finddir('.git', vim.fn.escape(folder, ' ;') .. ';')
  return git == '' and folder or vim.fn.fnamemodify(git, ':p:h:h')
end

--- Lenses have to be asked for; from Neovim 0.12 on it does so itself.
local function show_lenses(buffer)
  if vim.lsp.codelens.enable then return vim.lsp.codelens.enable(true, { bufnr = buffer }) end
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged', 'CursorHold' }, {
    buffer = buffer,
    callback = function() if clients.of(buffer) then vim.lsp.codelens.refresh({ bufnr = buffer }) end end,
  })
  vim.lsp.codelens.refresh({ bufnr = buffer })
end

local function on_attach(client, buffer)
  compiled.on_attach(client, buffer)
  if options.code_lens then show_lenses(buffer) end
  if options.inlay_hints and vim.lsp.inlay_hint then vim.lsp.inlay_hint.enable(true, { bufnr = buffer }) end
end

local function config()
  return {
    name = 'spillway',
    cmd = options.cmd,
    filetypes = filetypes,
    settings = { spillway = options.settings },
    init_options = { isTrusted = options.is_trusted, commands = commands, spillway = options.settings },
    flags = options.flags,
    handlers = { ['spillway/compiledCodeChanged'] = compiled.on_changed },
    on_attach = on_attach,
  }
end

--- Clients by root, for Neovim 0.7, which does not look for one that runs.
local running = {}

local function start(buffer)
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  local with_root = vim.tbl_extend('force', config(), { root_dir = root })
  if vim.lsp.start then return vim.lsp.start(with_root, { bufnr = buffer }) end
  local id = running[root]
  if id == nil or vim.lsp.get_client_by_id(id) == nil then
    id = vim.lsp.start_client(with_root)
    running[root] = id
  end
  if id ~= nil then vim.lsp.buf_attach_client(buffer, id) end
end

--- Goes to a place that the server names, in the window of the cursor.
local function go_to(uri, line, character)
  vim.cmd("normal! m'")
  vim.api.nvim_set_current_buf(vim.uri_to_bufnr(uri))
  local text = vim.api.nvim_buf_get_lines(0, line, line + 1, false)[1] or ''
  vim.api.nvim_win_set_cursor(0, { line + 1, math.min(character, #text) })
end

--- The compiled code of the function at a place, which is the cursor's where none is given.
function M.show_compiled_code(uri, line, character)
  local buffer = uri and vim.uri_to_bufnr(uri) or vim.api.nvim_get_current_buf()
  local client = clients.of(buffer)
  if client == nil then return vim.notify('Spillway is not running in this buffer', vim.log.levels.WARN) end
  local position = uri and { line = line, character = character }
    or vim.lsp.util.make_position_params(0, client.offset_encoding).position
  local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = position, text = true }
  clients.request(client, 'spillway/compiledCode', params, function(fault, code)
    if fault or code == nil or code == vim.NIL or code.text == nil then
      return vim.notify(fault and fault.message or 'there is no function here', vim.log.levels.WARN)
    end
    compiled.show(client.id, code, position.line)
  end, buffer)
end

--- Says what is modelled at the cursor: the function's figures, the architecture and the limit.
function M.status()
  local buffer = vim.api.nvim_get_current_buf()
  local client = clients.of(buffer)
  if client == nil then return vim.notify('Spillway is not running in this buffer', vim.log.levels.WARN) end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  clients.request(client, 'spillway/status', params, function(_, status)
    if status == nil or status == vim.NIL then return end
    vim.notify(status.summary or (status.target .. ', ' .. status.model))
  end, buffer)
end

--- Goes to the nearest peak of pressure ('peak') or spill ('spill'), in the direction 'next' or 'previous'.
function M.go_to_site(kind, direction)
  local buffer = vim.api.nvim_get_current_buf()
  local client = clients.of(buffer)
  if client == nil then return vim.notify('Spillway is not running in this buffer', vim.log.levels.WARN) end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.kind, params.direction = kind, direction
  clients.request(client, 'spillway/nextSite', params, function(fault, site)
    if fault then return vim.notify(fault.message, vim.log.levels.WARN) end
    if site == nil or site == vim.NIL then return vim.notify('there is no ' .. kind .. ' in this file') end
    go_to(vim.uri_from_bufnr(buffer), site.range.start.line, site.range.start.character)
    vim.notify(site.label .. (site.isWrapped and ', from the other end of the file' or ''))
  end, buffer)
end

function M.setup(given)
  options = vim.tbl_extend('force', options, given or {})
  -- as JSON an empty table is an array
  if next(options.settings) == nil then options.settings = vim.empty_dict() end
  local group = vim.api.nvim_create_augroup('spillway', { clear = true })
  for extension, filetype in pairs(extensions) do
    vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
      group = group,
      pattern = '*.' .. extension,
      callback = function(event) vim.bo[event.buf].filetype = filetype end,
    })
  end
  vim.lsp.commands['spillway.showPeak'] = function(command) go_to(unpack(command.arguments)) end
  vim.lsp.commands['spillway.showCompiledCode'] = function(command) M.show_compiled_code(unpack(command.arguments)) end
  vim.api.nvim_create_user_command('SpillwayCompiledCode', function() M.show_compiled_code() end, {})
  vim.api.nvim_create_user_command('SpillwayStatus', M.status, {})
  for _, direction in ipairs({ 'Next', 'Previous' }) do
    for _, kind in ipairs({ 'Peak', 'Spill' }) do
      local go = function() M.go_to_site(kind:lower(), direction:lower()) end
      vim.api.nvim_create_user_command('Spillway' .. direction .. kind, go, {})
    end
  end
  if vim.lsp.config and vim.lsp.enable then
    vim.lsp.config('spillway', vim.tbl_extend('force', config(), { root_markers = { '.git' } }))
    return vim.lsp.enable('spillway')
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = filetypes,
    callback = function(event) start(event.buf) end,
  })
end

return M
