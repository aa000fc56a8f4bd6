--- The client of a buffer, and requests to it, in Neovim 0.7 and newer.
local M = {}

--- The client of Spillway that a buffer is attached to, or nil.
function M.of(buffer)
  local all = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = buffer }) or vim.lsp.buf_get_clients(buffer)
  for _, client in pairs(all) do
    if client.name == 'spillway' then return client end
  end
end

--- Whether the request could be sent; changes of `buffer` that wait are sent before it.
function M.request(client, method, params, handler, buffer)
  if vim.fn.has('nvim-0.11') == 1 then return client:request(method, params, handler, buffer) end
  return client.request(method, params, handler, buffer)
end

return M
