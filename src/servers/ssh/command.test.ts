import { expect, test } from "vitest"
import { readCommand } from "./command.ts"

test.each([
  ["git-upload-pack 'ada/tool.git'", "fetch", "ada", "tool"],
  ["git-upload-pack '/ada/tool.git'", "fetch", "ada", "tool"],
  ["git-upload-pack 'ada/tool'", "fetch", "ada", "tool"],
  ["git-receive-pack 'ada/tool.GIT/'", "push", "ada", "tool"],
  ["git receive-pack 'ada/tool.git'", "push", "ada", "tool"],
  ["git-upload-pack ada/tool.git", "fetch", "ada", "tool"],
  ["git-upload-pack 'ada/it'\\''s'", "fetch", "ada", "it's"],
  ["git-upload-pack 'ada/..'", "fetch", "ada", ".."],
])("%s", (line, kind, owner, name) => {
  expect(readCommand(line)).toEqual({ kind, address: { owner, name } })
})

test.each([
  ["git-lfs-authenticate ada/tool.git upload", "upload"],
  ["git-lfs-authenticate '/ada/tool.git' 'download'", "download"],
  ["git lfs-authenticate ada/tool download 0123", "download"],
])("%s", (line, operation) => {
  expect(readCommand(line)).toEqual({ kind: "lfs", operation, address: { owner: "ada", name: "tool" } })
})

test.each([
  ["git-upload-archive 'ada/tool.git'", /archive/],
  ["git-lfs-authenticate ada/tool.git", /upload or download/],
  ["git-lfs-authenticate ada/tool.git delete", /upload or download/],
  ["git-lfs-authenticate", /owner\/name/],
  ["git-lfs-authenticate ../../x upload", /owner\/name/],
  ["git-lfs-transfer ada/tool.git upload", /over HTTP/],
  ["ls", /only git/],
  ["", /only git/],
  ["git", /only git/],
  ["scp -t /tmp", /only git/],
  ["subsystem sftp", /only git/],
  ["toString 'ada/tool.git'", /only git/],
  ["git-shell -c 'x'", /only git/],
  ["git-upload-pack", /owner\/name/],
  ["git-upload-pack 'tool.git'", /owner\/name/],
  ["git-upload-pack 'a/b/c.git'", /owner\/name/],
  ["git-upload-pack '../../etc/passwd'", /owner\/name/],
  ["git-upload-pack --strict 'ada/tool.git'", /owner\/name/],
  ["git-upload-pack 'ada/tool.git'; rm -rf /", /owner\/name/],
  ["git-upload-pack 'ada/tool.git", /only git/],
  ["git-upload-pack 'ada/.git'", /owner\/name/],
])("%s is refused in words", (line, words) => {
  const command = readCommand(line)
  expect(command).toMatchObject({ kind: "refused", words: expect.stringMatching(words) })
})
