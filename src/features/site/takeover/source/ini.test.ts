import { expect, test } from "vitest"
import { readIni, withEnvironment } from "./ini.ts"

test("reads sections, comments, quotes and values over several lines", () => {
  const ini = readIni(
    'A = 1\r\n; no\n[server]\nROOT_URL : "https://x/#a" \nkey=`a;b`\nPATH = /x # here\n[storage.lfs]\nLONG = a \\\n  b\nodd line\n',
  )
  expect(Object.fromEntries([...ini].map(([name, keys]) => [name, Object.fromEntries(keys)]))).toEqual({
    "": { A: "1" },
    server: { ROOT_URL: "https://x/#a", KEY: "a;b", PATH: "/x" },
    "storage.lfs": { LONG: "a b" },
  })
})

test("the environment comes first, also with files and names with dots", () => {
  const env = {
    GITEA__security__SECRET_KEY__FILE: "/run/key",
    FORGEJO__storage_0X2E_lfs__PATH: "/l",
    OTHER: "x",
    GITEA__server__ROOT_URL: "u",
  }
  const ini = withEnvironment(readIni("[server]\nROOT_URL=a\n"), env, (file) => `content of ${file}\n`)
  expect([ini.get("security")?.get("SECRET_KEY"), ini.get("storage.lfs")?.get("PATH"), ini.get("server")?.get("ROOT_URL")]).toEqual([
    "content of /run/key",
    "/l",
    "u",
  ])
})
