-- Run by neovim.mjs; prints `ok NAME` or `FAIL NAME` a check and leaves with a status.
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

--- The same client, with a program for the Mali-400 geometry processor.
local function gpir(client)
  vim.cmd('edit! ' .. vim.fn.fnameescape(vim.env.SPILLWAY_GPIR_FILE))
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].filetype = 'gpir'
  vim.lsp.buf_attach_client(buffer, client.id)

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
  vim.cmd('edit! ' .. vim.fn.fnameescape(vim.env.SPILLWAY_GEN_FILE))
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].filetype = 'gen-ir'
  vim.lsp.buf_attach_client(buffer, client.id)

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

local function main()
  vim.cmd('edit ' .. vim.fn.fnameescape(file))
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].filetype = 'ptx'
  local exited
  local id = vim.lsp.start_client({
    name = 'spillway',
    cmd = vim.fn.json_decode(vim.env.SPILLWAY_COMMAND),
    root_dir = vim.fn.fnamemodify(file, ':p:h'),
    flags = { debounce_text_changes = 0, allow_incremental_sync = true },
    on_exit = function(code, signal) exited = { code, signal } end,
  })
  assert(id, 'client did not start')
  vim.lsp.buf_attach_client(buffer, id)
  local client = vim.lsp.get_client_by_id(id)
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

  gpir(client)
  gen(client)

  client.stop()
  check('leaves', vim.wait(5000, function() return exited ~= nil end, 10) and exited[1] == 0, exited or 'no exit')
end

local ok, message = xpcall(main, debug.traceback)
if not ok then check('runs to the end', false, message) end
vim.cmd(fails == 0 and 'qall!' or 'cquit!')
