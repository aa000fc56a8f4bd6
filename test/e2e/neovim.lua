-- Run by neovim.mjs; prints `ok NAME` or `FAIL NAME` a check and leaves with a status.
local file = vim.env.SPILLWAY_FILE
local fails = 0

local function check(name, ok, detail)
  if not ok then fails = fails + 1 end
  local text = detail == nil and '' or (type(detail) == 'string' and detail or vim.fn.json_encode(detail))
  io.stdout:write((ok and 'ok ' or 'FAIL ') .. name .. ' ' .. text:gsub('\n', ' ') .. '\n')
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
  local function line_of(pattern)
    for number, text in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
      local column = text:find(pattern)
      if column then return number, column end
    end
    error('no line with ' .. pattern)
  end

  check('warns of spills', vim.wait(10000, function() return #spills() > 0 end, 10), #spills() .. ' spilled registers')
  local first = spills()[1]
  check('names the register', first and first.message:find('%%') ~= nil, first and first.message)

  local store, column = line_of('st%.global%.f32.*%%f47')
  column = vim.api.nvim_buf_get_lines(buffer, store - 1, store, false)[1]:find('%%f47')
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

  client.stop()
  check('leaves', vim.wait(5000, function() return exited ~= nil end, 10) and exited[1] == 0, exited or 'no exit')
end

local ok, message = xpcall(main, debug.traceback)
if not ok then check('runs to the end', false, message) end
vim.cmd(fails == 0 and 'qall!' or 'cquit!')
