-- Run by neovim.mjs; prints `ok NAME` or `FAIL NAME` a check and leaves with a status. The client is the one that
-- editors/neovim sets up.
local file = vim.env.SPILLWAY_FILE
local fails = 0

local function check(name, ok, detail)
  if not ok then fails = fails + 1 end
  local text = detail == nil and '' or (type(detail) == 'string' and detail or vim.fn.json_encode(detail))
  io.stdout:write((ok and 'ok ' or 'FAIL ') .. name .. ' ' .. text:gsub('\n', ' ') .. '\n')
end

local function line_of(pattern)
  for number, text in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local column = text:find(pattern)
    if column then return number, column end
  end
  error('no line with ' .. pattern)
end

--- What the server answers for the place of `word` in a line.
local function ask(client, method, line, word)
  local text = vim.api.nvim_buf_get_lines(0, line - 1, line, false)[1]
  vim.api.nvim_win_set_cursor(0, { line, (text:find(word, 1, true)) })
  local position = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local answer = client.request_sync(method, position, 10000, vim.api.nvim_get_current_buf())
  return answer and answer.result
end

--- Opens another file, which the client that runs must take too.
local function open(client, file, filetype)
  vim.cmd('edit! ' .. vim.fn.fnameescape(file))
  local buffer = vim.api.nvim_get_current_buf()
  check(filetype .. ': the file has its type', vim.bo[buffer].filetype == filetype, vim.bo[buffer].filetype)
  check(filetype .. ': one client for all', vim.lsp.buf_is_attached(buffer, client.id), '')
  return buffer
end

--- The same client, with a program for the Mali-400 geometry processor.
local function gpir(client)
  local buffer = open(client, vim.env.SPILLWAY_GPIR_FILE, 'gpir')

  local operation = ask(client, 'textDocument/hover', line_of('%%nearness = rsqrt'), 'rsqrt')
  local text = operation and operation.contents.value or ''
  check('gpir: hover on an operation', text:find('1 / sqrt(a)', 1, true) ~= nil, text:sub(1, 80))

  local diffuse = line_of('%%diffuse = max')
  local definition = ask(client, 'textDocument/definition', diffuse, '%cosine')
  local target = definition and (definition[1] or definition)
  local range = target and (target.targetSelectionRange or target.range)
  check('gpir: goes to the definition', range ~= nil and range.start.line + 1 == line_of('%%cosine = add'), range)

  local lenses = client.request_sync(
    'textDocument/codeLens',
    { textDocument = vim.lsp.util.make_text_document_params(buffer) },
    10000,
    buffer
  )
  local title = ''
  for _, lens in ipairs(lenses and lenses.result or {}) do
    if lens.data ~= nil and lens.command == nil then
      local resolved = client.request_sync('codeLens/resolve', lens, 10000, buffer)
      lens = resolved and resolved.result or lens
    end
    title = title .. (lens.command and lens.command.title or '')
  end
  check('gpir: words and bound in a code lens', title:find('%d+ words') ~= nil and title:find('bound %d+') ~= nil, title)

  local line = vim.api.nvim_buf_get_lines(buffer, diffuse - 1, diffuse, false)[1]
  vim.api.nvim_buf_set_lines(buffer, diffuse - 1, diffuse, false, { (line:gsub('%%cosine', '%%cosines')) })
  local function errors()
    return vim.diagnostic.get(buffer, { severity = vim.diagnostic.severity.ERROR })
  end
  check('gpir: reports a name that is not there', vim.wait(10000, function() return #errors() > 0 end, 10), errors()[1] and errors()[1].message)
  vim.api.nvim_buf_set_lines(buffer, diffuse - 1, diffuse, false, { line })
  check('gpir: and no longer once it is', vim.wait(10000, function() return #errors() == 0 end, 10), '')
end

--- The same client, with a program for Intel's Gen7.
local function gen(client)
  local buffer = open(client, vim.env.SPILLWAY_GEN_FILE, 'gen-ir')

  local function spills()
    return vim.tbl_filter(function(d) return d.code == 'spill/register' end, vim.diagnostic.get(buffer))
  end
  check('gen: warns of spills', vim.wait(10000, function() return #spills() > 0 end, 10), #spills() .. ' spilled registers')

  local operation = ask(client, 'textDocument/hover', line_of('untyped_surface_read'), 'untyped_surface_read')
  local text = operation and operation.contents.value or ''
  check('gen: hover on an operation', text:find('dwords of a surface', 1, true) ~= nil, text:sub(1, 80))

  local last = line_of('mad%(8%).*vgrf2%.xyzw')
  local definition = ask(client, 'textDocument/definition', last, 'vgrf2.xyzw')
  local target = definition and (definition[1] or definition)
  local range = target and (target.targetSelectionRange or target.range)
  check('gen: goes to the definition', range ~= nil and range.start.line + 1 == line_of('vgrf2:UD'), range)

  local limit = line_of('^%.grf_limit')
  vim.api.nvim_buf_set_lines(buffer, limit - 1, limit, false, { '.grf_limit 40' })
  check('gen: the warnings go with the limit', vim.wait(10000, function() return #spills() == 0 end, 10), '')
end

--- A buffer beside the source, which follows it.
local function compiled_code(buffer)
  local window = vim.api.nvim_get_current_win()
  local function show(pattern)
    vim.api.nvim_set_current_win(window)
    vim.api.nvim_win_set_cursor(0, { line_of(pattern), 0 })
    vim.cmd('SpillwayCompiledCode')
    vim.wait(10000, function() return vim.api.nvim_get_current_buf() ~= buffer end, 5)
    return vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_line()
  end
  local function text(code) return table.concat(vim.api.nvim_buf_get_lines(code, 0, -1, false), '\n') end

  local code, line = show('mul%.wide')
  check('compiled code: beside the source', code ~= buffer and text(code):find('as compiled') ~= nil, text(code):sub(1, 80))
  check('compiled code: at the code of the line', line:find('IMAD') ~= nil, line)
  local again
  again, line = show('bar%.sync')
  check('compiled code: again in the same window', again == code and #vim.api.nvim_list_wins() == 2, #vim.api.nvim_list_wins())
  check('compiled code: at the code of another line', line:find('BAR ') ~= nil, line)

  local function marks(group)
    local all = vim.api.nvim_buf_get_extmarks(code, vim.api.nvim_get_namespaces()['spillway-code'], 0, -1, { details = true })
    return vim.tbl_filter(function(mark) return mark[4].hl_group == group end, all)
  end
  local store = marks('SpillwayStore')[1]
  local stored = store and vim.api.nvim_buf_get_lines(code, store[2], store[2] + 1, false)[1]:sub(store[3] + 1, store[4].end_col)
  check('compiled code: spills are marked', stored and stored:find('^ST[LS]') ~= nil, stored)
  check('compiled code: waits are marked', #marks('SpillwayWait') > 0, #marks('SpillwayWait'))

  local limit = vim.api.nvim_win_call(window, function() return line_of('^%.maxnreg') end)
  vim.api.nvim_buf_set_lines(buffer, limit - 1, limit, false, { '// one', '// more', '.maxnreg 64' })
  local follows = vim.wait(10000, function() return text(code):find('spills 0', 1, true) ~= nil end, 5)
  check('compiled code: follows an edit', follows and #marks('SpillwayStore') == 0, vim.api.nvim_buf_get_lines(code, 1, 2, false)[1])
  line = vim.api.nvim_get_current_line()
  check('compiled code: keeps its place', vim.api.nvim_get_current_buf() == code and line:find('BAR ') ~= nil, line)

  -- not told of yet
  vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { '// and', '// more' })
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('<CR>', true, false, true), 'xm', false)
  vim.wait(10000, function() return vim.api.nvim_get_current_buf() == buffer end, 5)
  line = vim.api.nvim_get_current_line()
  check('compiled code: Return goes to the source line', vim.api.nvim_get_current_win() == window and line:find('bar%.sync') ~= nil, line)

  vim.cmd('only')
  check('compiled code: its buffer goes with its window', not vim.api.nvim_buf_is_valid(code), '')
  vim.api.nvim_buf_set_lines(buffer, limit + 1, limit + 4, false, { '.maxnreg 24' })
  vim.api.nvim_buf_set_lines(buffer, 0, 2, false, {})
end

--- The commands of editors/neovim, at the cursor.
local function own_commands(client, buffer)
  local told
  local notify = vim.notify
  vim.notify = function(text) told = text end
  vim.cmd('SpillwayStatus')
  check('status: the figures of the function', vim.wait(10000, function() return told ~= nil end, 5) and told:find('limit 24') ~= nil, told)
  told = nil
  vim.cmd('enew')
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.fn.fnamemodify(file, ':h') .. '/empty.ptx'))
  vim.wait(10000, function() return vim.lsp.buf_is_attached(0, client.id) end, 5)
  vim.cmd('SpillwayStatus')
  vim.wait(10000, function() return told ~= nil end, 5)
  check('status: of a file without a function', told == 'NVIDIA, no function', told)
  vim.cmd('buffer ' .. buffer)
  vim.notify = notify

  compiled_code(buffer)

  vim.api.nvim_win_set_cursor(0, { line_of('bar%.sync'), 0 })
  vim.cmd('SpillwayNextPeak')
  local peak = line_of('bar%.sync')
  local arrived = vim.wait(10000, function()
    local cursor = vim.api.nvim_win_get_cursor(0)
    return cursor[1] == peak and cursor[2] > 0
  end, 5)
  check('next peak: goes to the instruction', arrived, vim.api.nvim_win_get_cursor(0))

  vim.lsp.commands['spillway.showPeak']({ arguments = { vim.uri_from_bufnr(buffer), 20, 0 } })
  check('show peak: goes to the line', vim.api.nvim_win_get_cursor(0)[1] == 21, vim.api.nvim_win_get_cursor(0))
end

--- Neovim 0.11 and newer are given a configuration; that of an older one cannot show more than its form.
local function configuration()
  if vim.lsp.config then return end
  local given, enabled
  vim.lsp.config = function(name, config) given = { name = name, config = config } end
  vim.lsp.enable = function(name) enabled = name end
  require('spillway').setup({ settings = { codeLens = false } })
  vim.lsp.config, vim.lsp.enable = nil, nil
  local config = given and given.config or {}
  check(
    'configuration for Neovim 0.11',
    enabled == 'spillway' and given.name == 'spillway' and vim.tbl_contains(config.filetypes, 'gen-ir')
      and config.cmd[1] ~= nil and config.root_markers[1] == '.git' and config.settings.spillway.codeLens == false,
    enabled
  )
end

local function main()
  vim.opt.runtimepath:append(vim.env.SPILLWAY_NEOVIM)
  require('spillway').setup({
    cmd = vim.fn.json_decode(vim.env.SPILLWAY_COMMAND),
    settings = { inlayHints = { pressure = 'all' } },
    flags = { debounce_text_changes = 0, allow_incremental_sync = true },
  })
  vim.cmd('edit ' .. vim.fn.fnameescape(file))
  local buffer = vim.api.nvim_get_current_buf()
  check('ptx: the file has its type', vim.bo[buffer].filetype == 'ptx', vim.bo[buffer].filetype)
  vim.wait(10000, function() return #vim.lsp.get_active_clients() > 0 end, 5)
  local client = vim.lsp.get_active_clients()[1]
  assert(client and client.name == 'spillway', 'client did not start')
  local exited
  local on_exit = client.config.on_exit
  client.config.on_exit = function(...)
    exited = { ... }
    if on_exit then on_exit(...) end
  end
  check('initialises', vim.wait(10000, function() return client.initialized end, 10))

  local function spills()
    return vim.tbl_filter(function(d) return d.code == 'spill/register' end, vim.diagnostic.get(buffer))
  end
  check('warns of spills', vim.wait(10000, function() return #spills() > 0 end, 10), #spills() .. ' spilled registers')
  local first = spills()[1]
  check('names the register', first and first.message:find('%%') ~= nil, first and first.message)

  local store = line_of('st%.global%.f32.*%%f47')
  local column = vim.api.nvim_buf_get_lines(buffer, store - 1, store, false)[1]:find('%%f47')
  vim.api.nvim_win_set_cursor(0, { store, column })
  local position = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local hover = client.request_sync('textDocument/hover', position, 5000, buffer)
  local text = hover and hover.result and hover.result.contents and hover.result.contents.value or ''
  check('hover tells the type', text:find('f32') ~= nil, text:sub(1, 120))

  local definition = client.request_sync('textDocument/definition', position, 5000, buffer)
  local target = definition and definition.result and (definition.result[1] or definition.result)
  local range = target and (target.targetSelectionRange or target.range)
  check('goes to the definition', range ~= nil and range.start.line + 1 == line_of('fma.rn.f32 \t%%f47'), range)

  local limit = line_of('^%.maxnreg')
  vim.api.nvim_buf_set_lines(buffer, limit - 1, limit, false, { '.maxnreg 64' })
  check('the warning goes with the limit', vim.wait(10000, function() return #spills() == 0 end, 5), '')
  vim.api.nvim_buf_set_lines(buffer, limit - 1, limit, false, { '.maxnreg 24' })
  check('and comes back', vim.wait(10000, function() return #spills() > 0 end, 5), '')

  check('lenses are shown', vim.wait(10000, function() return #vim.lsp.codelens.get(buffer) > 0 end, 5), '')
  own_commands(client, buffer)

  gpir(client)
  gen(client)

  configuration()
  client.stop()
  check('leaves', vim.wait(5000, function() return exited ~= nil end, 10) and exited[1] == 0, exited or 'no exit')
end

local ok, message = xpcall(main, debug.traceback)
if not ok then check('runs to the end', false, message) end
vim.cmd(fails == 0 and 'qall!' or 'cquit!')
