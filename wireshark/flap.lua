-- Dissector for FLAP, the protocol between devices that are compatible with HARDWARIO CHESTER and their cloud, for Wireshark 3.6 or newer.
--
--   tshark -X lua_script:flap.lua -r run.pcapng
--   tshark -X lua_script:flap.lua -o flap.tokens:00112233445566778899aabbccddeeff -r run.pcapng
--
-- It reads the envelope (raw on port 5002, base64 text on port 5003), packets in DTLS (port 5005), and the header. It joins
-- the fragments of messages and names their types; Wireshark's own dissector shows their CBOR. With the claim tokens of
-- devices in the preferences, it checks the tags. On other ports, it recognises datagrams with serial numbers of CHESTER.

local flap = Proto("flap", "FLAP, CHESTER device protocol")
local flap_packet = Proto("flap_packet", "FLAP packet in DTLS")

local DOWN_TYPE = 0x80
local TYPES = {
  [0x00] = "CREATE_SESSION", [0x01] = "GET_TIMESTAMP", [0x02] = "UPLOAD_CONFIG", [0x03] = "UPLOAD_DECODER",
  [0x04] = "UPLOAD_ENCODER", [0x05] = "UPLOAD_STATS", [0x06] = "UPLOAD_DATA", [0x07] = "UPLOAD_SHELL",
  [0x08] = "UPLOAD_FIRMWARE", [0x80] = "SET_SESSION", [0x81] = "SET_TIMESTAMP", [0x82] = "DOWNLOAD_CONFIG",
  [0x86] = "DOWNLOAD_DATA", [0x87] = "DOWNLOAD_SHELL", [0x88] = "DOWNLOAD_FIRMWARE",
}
-- Bytes before the CBOR in the value of a message: a hash, the byte that names a compression, or both.
local BEFORE_CBOR = {
  [0x00] = 0, [0x02] = 9, [0x03] = 8, [0x04] = 8, [0x05] = 0, [0x06] = 8, [0x07] = 0, [0x08] = 0,
  [0x80] = 0, [0x82] = 1, [0x86] = 8, [0x87] = 0, [0x88] = 0,
}
local HASHED = { [0x02] = true, [0x03] = true, [0x04] = true, [0x06] = true, [0x86] = true }

local f = {
  tag = ProtoField.bytes("flap.tag", "Tag"),
  tag_status = ProtoField.string("flap.tag.status", "Tag status"),
  serial = ProtoField.uint32("flap.serial", "Serial number", base.DEC),
  header = ProtoField.uint16("flap.header", "Header", base.HEX),
  first = ProtoField.bool("flap.flags.first", "First fragment", 16, nil, 0x8000),
  last = ProtoField.bool("flap.flags.last", "Last fragment", 16, nil, 0x4000),
  ack = ProtoField.bool("flap.flags.ack", "Acknowledgement", 16, nil, 0x2000),
  poll = ProtoField.bool("flap.flags.poll", "Poll", 16, nil, 0x1000),
  sequence = ProtoField.uint16("flap.sequence", "Sequence number", base.DEC, nil, 0x0fff),
  data = ProtoField.bytes("flap.data", "Fragment"),
  way = ProtoField.string("flap.way", "Direction"),
  fragments = ProtoField.uint32("flap.fragments", "Fragments", base.DEC),
  type = ProtoField.uint8("flap.message.type", "Message type", base.HEX, TYPES),
  length = ProtoField.uint32("flap.message.length", "Message length", base.DEC),
  hash = ProtoField.bytes("flap.message.hash", "Hash"),
  time = ProtoField.uint64("flap.message.timestamp", "Time (Unix seconds)", base.DEC),
  value = ProtoField.bytes("flap.message.value", "Value"),
}
flap.fields = {}
for _, field in pairs(f) do table.insert(flap.fields, field) end

local wrong_tag = ProtoExpert.new("flap.tag.wrong", "The tag does not fit any of the tokens", expert.group.CHECKSUM,
  expert.severity.WARN)
local unreadable = ProtoExpert.new("flap.unreadable", "Not base64, or shorter than an envelope", expert.group.PROTOCOL,
  expert.severity.WARN)
local cut_off = ProtoExpert.new("flap.cut", "The capture has cut the datagram off (tcpdump -s 0 keeps it whole)",
  expert.group.UNDECODED, expert.severity.WARN)
local not_cbor = ProtoExpert.new("flap.message.malformed", "The value of the message is not CBOR", expert.group.MALFORMED,
  expert.severity.ERROR)
flap.experts = { wrong_tag, unreadable, cut_off, not_cbor }

flap.prefs.tokens = Pref.string("Claim tokens", "", "Tokens of 32 hex digits, separated by commas, to check tags")

---------------------------------------------------------------------------------------------------------------- SHA-256

local bits = bit or bit32
local band, bxor, bnot, rshift, ror = bits.band, bits.bxor, bits.bnot, bits.rshift, bits.ror or bits.rrotate

local K = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}
local WORD = 4294967296

local function sha256(text)
  local zeros = (55 - #text) % 64
  local length = #text * 8
  text = text .. "\128" .. string.rep("\0", zeros + 4)
    .. string.char(math.floor(length / 16777216) % 256, math.floor(length / 65536) % 256, math.floor(length / 256) % 256,
      length % 256)
  local h = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 }
  for block = 1, #text, 64 do
    local w = {}
    for i = 1, 16 do
      local a, b, c, d = string.byte(text, block + 4 * i - 4, block + 4 * i - 1)
      w[i] = ((a * 256 + b) * 256 + c) * 256 + d
    end
    for i = 17, 64 do
      local x, y = w[i - 15], w[i - 2]
      local s0 = bxor(ror(x, 7), ror(x, 18), rshift(x, 3))
      local s1 = bxor(ror(y, 17), ror(y, 19), rshift(y, 10))
      w[i] = (w[i - 16] + s0 + w[i - 7] + s1) % WORD
    end
    local a, b, c, d, e, g, j, l = h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8]
    for i = 1, 64 do
      local s1 = bxor(ror(e, 6), ror(e, 11), ror(e, 25))
      local choice = bxor(band(e, g), band(bnot(e), j))
      local t1 = (l + s1 + choice + K[i] + w[i]) % WORD
      local s0 = bxor(ror(a, 2), ror(a, 13), ror(a, 22))
      local majority = bxor(band(a, b), band(a, c), band(b, c))
      local t2 = (s0 + majority) % WORD
      a, b, c, d, e, g, j, l = (t1 + t2) % WORD, a, b, c, (d + t1) % WORD, e, g, j
    end
    local sums = { a, b, c, d, e, g, j, l }
    for i = 1, 8 do h[i] = (h[i] + sums[i]) % WORD end
  end
  local out = {}
  for i = 1, 8 do
    out[i] = string.char(math.floor(h[i] / 16777216) % 256, math.floor(h[i] / 65536) % 256,
      math.floor(h[i] / 256) % 256, h[i] % 256)
  end
  return table.concat(out)
end

-- The tag is the digest of the token and of the envelope after the tag, folded to 8 bytes.
local function tag_of(token, rest)
  local digest = sha256(token .. rest)
  local tag = {}
  for i = 1, 8 do
    local a, b, c, d = string.byte(digest, i), string.byte(digest, 8 + i), string.byte(digest, 16 + i),
      string.byte(digest, 24 + i)
    tag[i] = string.char(band(bxor(a, b, c, d), 0xff))
  end
  return table.concat(tag)
end

local function tokens()
  local list = {}
  for digits in string.gmatch(flap.prefs.tokens, "%x+") do
    if #digits == 32 then
      table.insert(list, (string.gsub(digits, "%x%x", function(pair) return string.char(tonumber(pair, 16)) end)))
    end
  end
  return list
end

---------------------------------------------------------------------------------------------------------------- packets

-- Fragments by conversation, and messages by frame: built in the first pass over the capture, used in all.
local assemblies, messages = {}, {}
-- Bytes of the longest message.
local LONGEST_MESSAGE = 16384

function flap.init()
  assemblies, messages = {}, {}
end

local UP_PORTS = { [5002] = true, [5003] = true, [5005] = true }

local function way_of(pinfo, flags, data)
  if UP_PORTS[pinfo.dst_port] then return "up" end
  if UP_PORTS[pinfo.src_port] then return "down" end
  if flags >= 8 and #data > 0 then return string.byte(data) < DOWN_TYPE and "up" or "down" end
  if #data > 0 then return flags % 2 == 1 and "down" or "up" end
  return flags == 1 and "up" or "down"
end

-- Joins the fragments. Returns the message that this packet completes, with the number of its fragments.
local function assemble(pinfo, key, flags, sequence, data)
  local place = pinfo.number .. "/" .. key
  if not pinfo.visited and #data > 0 then
    local assembly = assemblies[key]
    -- A device may send a fragment again.
    local is_copy = flags < 8 and assembly ~= nil and assembly.sequence == sequence and assembly.data == data
    if flags >= 8 or (assembly ~= nil and assembly.is_over and not is_copy) then
      assembly = { parts = {}, size = 0, count = 0 }
      assemblies[key] = assembly
    end
    if assembly ~= nil and not is_copy then
      assembly.sequence, assembly.data = sequence, data
      assembly.count, assembly.size = assembly.count + 1, assembly.size + #data
      if assembly.size <= LONGEST_MESSAGE then table.insert(assembly.parts, data) else assembly.parts = {} end
      assembly.is_over = math.floor(flags / 4) % 2 == 1
      if assembly.is_over and assembly.size <= LONGEST_MESSAGE then assembly.bytes = table.concat(assembly.parts) end
    end
    if assembly ~= nil then messages[place] = { bytes = assembly.bytes, count = assembly.count } end
  end
  return messages[place]
end

local function show_message(message, count, pinfo, tree)
  local number = message(0, 1):uint()
  local name = TYPES[number] or string.format("message 0x%02x", number)
  local branch = tree:add(flap, message(), name)
  branch:add(f.type, message(0, 1))
  branch:add(f.length, message:len()):set_generated()
  local at = 1
  if HASHED[number] and message:len() >= 9 then
    branch:add(f.hash, message(1, 8))
  end
  at = at + (BEFORE_CBOR[number] or 0)
  if number == 0x81 and message:len() == 9 then
    branch:add(f.time, message(1, 8))
  elseif BEFORE_CBOR[number] ~= nil and message:len() > at then
    -- A raw body of data need not be CBOR: its hash is zero.
    local zero = HASHED[number] and message:len() >= 9 and tostring(message(1, 8):bytes()) == "0000000000000000"
    if zero then
      branch:add(f.value, message(at))
    else
      -- A call raises an error for what is malformed. That is the fault of the message, not of this program.
      local value = message(at)
      if not pcall(function() Dissector.get("cbor"):call(value:tvb(), pinfo, branch) end) then
        branch:add_tvb_expert_info(not_cbor, value)
      end
    end
  elseif message:len() > at then
    branch:add(f.value, message(at))
  end
  return name .. (count > 1 and string.format(", %d bytes in %d packets", message:len(), count) or "")
end

local function describe(flags, data, way)
  if #data > 0 then return "fragment" end
  if flags == 0 then return "reset" end
  if math.floor(flags / 4) % 2 == 1 then return "nothing waiting" end
  if math.floor(flags / 2) % 2 == 1 then
    local ack = way == "up" and "received" or "accepted"
    return flags % 2 == 1 and ack .. ", please poll" or ack
  end
  return "poll"
end

-- `packet`: header and data. `key`: what its conversation is known by, besides its direction.
local function show_packet(packet, pinfo, tree, key, serial)
  local header = packet(0, 2):uint()
  local flags, sequence = math.floor(header / 4096), header % 4096
  local data = packet:len() > 2 and packet:raw(2) or ""
  local way = way_of(pinfo, flags, data)
  local branch = tree:add(f.header, packet(0, 2))
  branch:add(f.first, packet(0, 2))
  branch:add(f.last, packet(0, 2))
  branch:add(f.ack, packet(0, 2))
  branch:add(f.poll, packet(0, 2))
  branch:add(f.sequence, packet(0, 2))
  tree:add(f.way, way):set_generated()
  if packet:len() > 2 then tree:add(f.data, packet(2)) end
  local letters = (flags >= 8 and "F" or "x") .. (math.floor(flags / 4) % 2 == 1 and "L" or "x")
    .. (math.floor(flags / 2) % 2 == 1 and "A" or "x") .. (flags % 2 == 1 and "P" or "x")
  local message = assemble(pinfo, key .. way, flags, sequence, data)
  local meaning = describe(flags, data, way)
  if message ~= nil and message.bytes ~= nil then
    tree:add(f.fragments, message.count):set_generated()
    local whole = ByteArray.new(message.bytes, true):tvb("FLAP message")
    meaning = show_message(whole, message.count, pinfo, tree)
  elseif message ~= nil then
    meaning = "fragment " .. message.count
  end
  pinfo.cols.protocol = "FLAP"
  local who = serial and string.format("%u ", serial) or ""
  pinfo.cols.info = string.format("%s%s %s %d %s", who, way, letters, sequence, meaning)
end

--------------------------------------------------------------------------------------------------------------- envelopes

local DIGITS = {}
for i = 1, 64 do
  DIGITS[string.byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", i)] = i - 1
end

-- The bytes of base64 text; nil for other text.
local function base64(text)
  if #text == 0 or #text % 4 ~= 0 then return nil end
  local padding = string.sub(text, -2) == "==" and 2 or string.sub(text, -1) == "=" and 1 or 0
  local out = {}
  for at = 1, #text, 4 do
    local bits_of_four = 0
    local left = at + 3 == #text and padding or 0
    for i = 0, 3 do
      local value = i > 3 - left and 0 or DIGITS[string.byte(text, at + i)]
      if value == nil then return nil end
      bits_of_four = bits_of_four * 64 + value
    end
    local three = string.char(math.floor(bits_of_four / 65536), math.floor(bits_of_four / 256) % 256, bits_of_four % 256)
    out[#out + 1] = string.sub(three, 1, 3 - left)
  end
  return table.concat(out)
end

local function check_tag(bytes, tree, range)
  local list = tokens()
  if #list == 0 then return end
  local tag, rest = string.sub(bytes, 1, 8), string.sub(bytes, 9)
  for _, token in ipairs(list) do
    if tag_of(token, rest) == tag then
      tree:add(f.tag_status, "valid"):set_generated()
      return
    end
  end
  tree:add(f.tag_status, "wrong"):set_generated()
  tree:add_tvb_expert_info(wrong_tag, range)
end

local function show_envelope(envelope, bytes, pinfo, root)
  local tree = root:add(flap, envelope())
  tree:add(f.tag, envelope(0, 8))
  check_tag(bytes, tree, envelope(0, 8))
  tree:add(f.serial, envelope(8, 4))
  local serial = envelope(8, 4):uint()
  show_packet(envelope(12):tvb(), pinfo, tree, tostring(serial), serial)
end

local LONGEST = 1024

-- The envelope in a datagram as a buffer and as a Lua string; nil if there is none.
local function envelope_in(tvb, is_text)
  if tvb:len() == 0 then return nil end
  local bytes = tvb:raw(0, math.min(tvb:len(), LONGEST))
  if is_text then bytes = base64(bytes) end
  if bytes == nil or #bytes < 14 then return nil end
  return bytes
end

-- Shows a datagram or packet that cannot be read.
local function show_unreadable(tvb, pinfo, root)
  pinfo.cols.protocol = "FLAP"
  root:add(flap, tvb()):add_tvb_expert_info(tvb:reported_len() > tvb:len() and cut_off or unreadable, tvb())
  return tvb:len()
end

local function dissect(tvb, pinfo, root, is_text)
  if tvb:len() == 0 then return 0 end
  local bytes = tvb:reported_len() == tvb:len() and envelope_in(tvb, is_text) or nil
  if bytes == nil then return show_unreadable(tvb, pinfo, root) end
  local envelope = is_text and ByteArray.new(bytes, true):tvb("FLAP envelope") or tvb
  show_envelope(envelope, bytes, pinfo, root)
  return tvb:len()
end

function flap.dissector(tvb, pinfo, root)
  local is_raw = pinfo.dst_port == 5002 or pinfo.src_port == 5002
  return dissect(tvb, pinfo, root, not is_raw)
end

-- Serial numbers of CHESTER-M and CHESTER-U1, in the bytes 9 to 12 of an envelope.
local function is_of_real_device(bytes)
  local a, b = string.byte(bytes, 9, 10)
  local family = (a % 64) * 16 + math.floor(b / 16)
  return a >= 128 and (family == 0x00b or family == 0x00d)
end

local function guess(tvb, pinfo, root)
  for _, is_text in ipairs({ true, false }) do
    local bytes = envelope_in(tvb, is_text)
    if bytes ~= nil and is_of_real_device(bytes) then
      dissect(tvb, pinfo, root, is_text)
      return true
    end
  end
  return false
end

function flap_packet.dissector(tvb, pinfo, root)
  if tvb:len() < 2 then return 0 end
  if tvb:reported_len() > tvb:len() then return show_unreadable(tvb, pinfo, root) end
  local tree = root:add(flap, tvb())
  -- Without a serial number: the ends of the connection, in either order.
  local one = tostring(pinfo.src) .. ":" .. pinfo.src_port
  local other = tostring(pinfo.dst) .. ":" .. pinfo.dst_port
  show_packet(tvb, pinfo, tree, one < other and one .. other or other .. one, nil)
  return tvb:len()
end

DissectorTable.get("udp.port"):add(5002, flap)
DissectorTable.get("udp.port"):add(5003, flap)
DissectorTable.get("udp.port"):add(5005, Dissector.get("dtls"))
DissectorTable.get("dtls.port"):add(5005, flap_packet)
flap:register_heuristic("udp", guess)
flap_packet:register_heuristic("dtls", function(tvb, pinfo, root)
  if tvb:len() < 2 then return false end
  flap_packet.dissector(tvb, pinfo, root)
  return true
end)
