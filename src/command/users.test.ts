import { TOTP } from "otpauth"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type FreshUrl, freshUrl } from "../../tests/support/database.ts"
import { type Serving, serveHearth } from "../app.ts"
import { createRepository } from "../features/code/lifecycle/create.ts"
import { type Keyboard, openShell, type Shell } from "./testing.ts"

/** All commands run beside a server on the same database, as an operator would run them. */
describe("people and tokens on the command line", () => {
  let shell: Shell
  let fresh: FreshUrl
  let server: Serving
  let env: Readonly<Record<string, string>>
  beforeAll(async () => {
    shell = await openShell()
    fresh = await freshUrl("sqlite")
    env = { HEARTH_DATABASE_URL: fresh.url, HEARTH_LOG_LEVEL: "silent" }
    server = await serveHearth({
      env: { HEARTH_DATA_DIR: shell.dataDir, HEARTH_HTTP_PORT: "0", HEARTH_SSH_PORT: "0", HEARTH_ADMIN_PASSWORD: "correct horse", ...env },
    })
  })
  beforeEach(() =>
    server.services.database.write(async (tx) => {
      await tx.deleteFrom("users").where("lower_name", "<>", "root").execute()
      await tx.updateTable("users").set({ is_admin: 1, is_active: 1 }).execute()
    }),
  )
  afterAll(async () => {
    await server.close()
    await shell.close()
    await fresh.drop()
  })

  const run = (args: string, keyboard?: Keyboard) => shell.run(args, env, keyboard)
  const done = async (args: string, keyboard?: Keyboard): Promise<string> => {
    const { code, out, said } = await run(args, keyboard)
    expect([code, said.replace(/^(New password for .*: \nThe same again: |The token .*)$/s, "")], args).toEqual([0, ""])
    return out
  }
  /** Expects a failure with a problem and an advice. */
  const fails = async (args: string, words: string | RegExp, keyboard?: Keyboard): Promise<void> => {
    const { code, out, said } = await run(args, keyboard)
    expect([code, out], args).toEqual([1, ""])
    expect(said).toMatch(words)
    expect(said.split("\n").length, said).toBeGreaterThan(1)
  }
  const add = (name: string, more = "") =>
    done(`user add ${name} --email ${name}@example.org --password-stdin ${more}`, { piped: "correct horse\n" })
  const answer = async (path: string, authorization: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${server.url}/api/v1${path}`, { headers: { authorization, ...headers } })
  const basic = (name: string, password: string): string => `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`
  const status = async (name: string, password: string): Promise<number> => (await answer("/user", basic(name, password))).status

  describe("package-rule", () => {
    test("sets, lists and removes what the clean-up of packages follows", async () => {
      await add("ada")
      const set = await done("package-rule set ada generic --keep 5 --older-than 30 --only .*-rc")
      expect(set).toBe("The rule for generic packages of ada is set.")
      expect(await done("package-rule list Ada")).toMatch(/generic +yes +5 +30 days +\.\*-rc +none +never/)
      await done("package-rule set ada generic --off")
      expect(JSON.parse(await done("package-rule list ada --json"))).toEqual([
        { type: "generic", enabled: false, keep: 0, older_than: 0, only: "", except: "", followed_at: null, failure: "" },
      ])
      expect(await done("package-rule remove ada generic")).toBe("The rule for generic packages of ada is removed.")
    })

    test("says what is wrong", async () => {
      await add("ada")
      await fails("package-rule set ada rubygems", "There is no registry rubygems.\nGive one of generic, npm.")
      await fails("package-rule set nobody npm", "There is no one called nobody.")
      await fails("package-rule remove ada npm", "ada has no rule for npm packages.")
      const { code, said } = await run("package-rule set ada npm --only (")
      expect([code, said]).toEqual([1, expect.stringContaining("regular expression")])
      expect((await run("package-rule set ada npm --keep some")).code).toBe(2)
    })
  })

  describe("user add", () => {
    test("creates a user who can sign in at once", async () => {
      expect(await add("ada", "--full-name Ada --admin")).toBe("ada was made and administers the site.")
      const me = await answer("/user", basic("ada", "correct horse"))
      expect(await me.json()).toMatchObject({ login: "ada", full_name: "Ada", email: "ada@example.org", is_admin: true })
    })

    test("generates a password where none can be asked for, and prints it once", async () => {
      const out = await done("user add ada --email ada@example.org")
      const password = /The password is (\S{16}) and is shown this once\./.exec(out)?.[1] ?? ""
      expect(await status("ada", password)).toBe(200)
    })

    test("asks twice on a terminal", async () => {
      const typed = ["correct horse", "correct horse"]
      expect(await done("user add ada --email ada@example.org", { typed })).toBe("ada was made.")
      expect(await status("ada", "correct horse")).toBe(200)
      await fails("user add bob --email bob@example.org", "The two passwords differ.", { typed: ["correct horse", "correct house"] })
      expect(await status("bob", "correct horse")).toBe(401)
    })

    test("creates a user who must choose another password first", async () => {
      await add("ada", "--must-change")
      expect(await status("ada", "correct horse")).toBe(403)
    })

    test("refuses what is no name, address or password, and what is taken", async () => {
      await add("ada")
      const piped = { piped: "correct horse" }
      await fails("user add a..b --email b@example.org", /^Refused: the name must be letters and digits/)
      await fails("user add bob --email nowhere", /^Refused: the address must be an e-mail address/)
      await fails(`user add bob --email b@example.org --full-name ${"x".repeat(101)}`, /^Refused: the full name is too long\./)
      await fails("user add bob --email b@example.org --password-stdin", /^Refused: the password must have at least/, { piped: "short\n" })
      await fails("user add ADA --email b@example.org --password-stdin", /^Refused: ADA is taken; choose another name\./, piped)
      await fails("user add bob --email Ada@example.org --password-stdin", /^Refused: Ada@example.org is in use already/, piped)
      expect((await run("user list --json")).out).not.toContain("bob")
    })

    test("takes no password from the command line, where others could read it", async () => {
      expect(await run("user add bob --email b@example.org --password x")).toMatchObject({
        code: 2,
        said: expect.stringContaining("--password"),
      })
      expect(await run("user add bob")).toMatchObject({ code: 2, said: expect.stringContaining("--email") })
    })
  })

  test("user list prints all users", async () => {
    await add("ada", "--full-name Ada")
    await run("user two-factor ada on")
    expect(await done("user list")).toMatch(
      /^NAME .*\nada +ada@example\.org +Ada +active +on +\d{4}-\d\d-\d\d\nroot +\S+ +administrator +active +\d/,
    )
    const people: unknown = JSON.parse(await done("user list --json"))
    expect(people).toMatchObject([
      { login: "ada", email: "ada@example.org", is_admin: false, active: true, two_factor: true },
      { login: "root", is_admin: true, two_factor: false },
    ])
  })

  describe("user password", () => {
    test("counts at once, also for a server that remembers the old one", async () => {
      await add("ada")
      expect(await status("ada", "correct horse")).toBe(200)
      await done("user password ada --password-stdin", { piped: "battery staple\r\n" })
      expect([await status("ada", "correct horse"), await status("ada", "battery staple")]).toEqual([401, 200])
      const made = /The password is (\S+) and/.exec(await done("user password ada"))?.[1] ?? ""
      expect(await status("ada", made)).toBe(200)
    })

    test("refuses weak ones, and unknown users", async () => {
      await add("ada")
      await fails("user password ada", /^New password.*\nRefused: the password must/, { typed: ["x"] })
      await fails("user password ida", "There is no one called ida.\n`hearth user list` shows who there is.")
      expect(await status("ada", "correct horse")).toBe(200)
    })
  })

  test("user rename leaves the old name leading to the new one", async () => {
    await add("ada")
    await add("bob")
    await done("user rename ADA lovelace")
    expect(await status("lovelace", "correct horse")).toBe(200)
    await fails("user rename ada countess", "ada is called lovelace now.\nUse that name.")
    await fails("user rename bob lovelace", /^Refused: lovelace is taken/)
    await fails("user rename bob -- -", /^Refused: the new name must/)
  })

  describe("user delete", () => {
    test("asks first", async () => {
      await add("ada")
      await fails("user delete ada", "No one is there to confirm that ada is deleted.\nNothing was changed. Say --yes")
      await fails("user delete ada", "That is another name.", { typed: ["eda"] })
      expect((await run("user delete ada", { typed: ["ada"] })).out).toBe("ada was deleted.")
      expect(await status("ada", "correct horse")).toBe(401)
    })

    test("keeps who owns something, unless it is to go too", async () => {
      await add("ada")
      const owner = await server.services.database.read.selectFrom("users").selectAll().where("name", "=", "ada").executeTakeFirstOrThrow()
      await createRepository(server.services, { doer: owner, owner, options: { name: "first", auto_init: true } })
      await fails("user delete ada --yes", /^Refused: ada owns 1 repositories; delete them or hand them over, or purge\./)
      expect((await answer("/repos/ada/first", "")).status).toBe(200)
      await done("user delete ada --yes --purge")
      expect((await answer("/repos/ada/first", "")).status).toBe(404)
    })

    test("keeps the last administrator", async () => {
      await fails("user delete root --yes --purge", "root is the last administrator who can sign in")
    })
  })

  test("user admin and user active switch, and the site keeps an administrator", async () => {
    await add("ada")
    await done("user admin ada on")
    await done("user admin root off")
    expect((await answer("/admin/users", basic("root", "correct horse"))).status).toBe(403)
    expect((await answer("/admin/users", basic("ada", "correct horse"))).status).toBe(200)
    await fails("user admin ada off", /^Refused: ada is the last administrator/)
    await fails("user active ada off", /^Refused: ada is the last administrator/)
    await done("user active root off")
    expect(await status("root", "correct horse")).toBe(403)
    await done("user active root on")
    expect(await status("root", "correct horse")).toBe(200)
    expect(await run("user active root maybe")).toMatchObject({ code: 2, said: expect.stringContaining("Allowed choices are on, off") })
  })

  test("user two-factor tells the secret once, and a code is asked for", async () => {
    await add("ada")
    const out = await done("user two-factor ada on")
    const secret = /^secret +([A-Z2-7]+)$/m.exec(out)?.[1] ?? ""
    expect(out.match(/^recovery ([a-z2-7]{4}-){3}[a-z2-7]{4}$/gm)).toHaveLength(8)
    expect(out).toMatch(/^address +otpauth:\/\/totp\//m)
    expect(await status("ada", "correct horse")).toBe(401)
    const code = new TOTP({ secret }).generate()
    expect((await answer("/user", basic("ada", "correct horse"), { "x-gitea-otp": code })).status).toBe(200)
    await fails("user two-factor ada on", "ada has a second factor already, whose secret is not told again.")
    expect(await done("user two-factor ada off")).toBe("ada signs in with the password alone.")
    expect(await status("ada", "correct horse")).toBe(200)
    expect(await done("user two-factor ada off")).toBe("ada had no second factor.")
  })

  test("user link lets an account sign in as someone elsewhere, and no two accounts as one", async () => {
    for (const name of ["ada", "bob"]) await add(name)
    await fails("user link ada company 42", "There is no provider or directory company.\nThe settings name none")
    const company = { name: "company", issuer: "https://login.example.org", clientId: "hearth", clientSecret: "x" }
    const link = (args: string) => shell.run(`user link ${args}`, { ...env, HEARTH_SIGN_IN_PROVIDERS: JSON.stringify([company]) })
    const linked = { code: 0, out: "ada signs in as 42 of company." }
    for (let times = 0; times < 2; times++) expect(await link("Ada company 42 --login aking")).toMatchObject(linked)
    expect(await link("bob company 42")).toMatchObject({ code: 1, said: expect.stringContaining("signs in someone else here") })
    expect(await link("bob staff 42")).toMatchObject({ code: 1, said: expect.stringContaining("The settings name: company.") })
    const found = server.services.database.read.selectFrom("linked_accounts").innerJoin("users", "users.id", "linked_accounts.user_id")
    expect(await found.select(["users.name", "provider", "subject", "label"]).execute()).toEqual([
      { name: "ada", provider: "company", subject: "42", label: "aking" },
    ])
  })

  test("invite prints a link that is good once, where accounts may be made", async () => {
    await fails("invite ada@example.org", /^Refused: registration is closed/)
    const invited = await shell.run("invite ada@example.org", { ...env, HEARTH_USERS_REGISTRATION: "invitation" })
    expect([invited.code, invited.said]).toEqual([0, "Send this link to ada@example.org; it is good once:"])
    expect(invited.out).toMatch(/^http:\S+\/user\/sign_up\?code=\d+\.[\w-]{43}$/)
  })

  describe("token", () => {
    test("add prints nothing but the token, which works until it is removed", async () => {
      await add("ada")
      const { out, said } = await run("token add ada ci --scope read:user,write:issue --scope read:misc")
      expect(out).toMatch(/^[0-9a-f]{40}$/)
      expect(said).not.toContain(out)
      expect((await answer("/user", `token ${out}`)).status).toBe(200)
      expect((await answer("/admin/users", `token ${out}`)).status).toBe(403)
      expect(await done("token list ada")).toMatch(
        new RegExp(`^NAME .*\\nci +${out.slice(-8)} +read:misc,write:issue,read:user +\\S+Z +\\S`),
      )
      expect(JSON.parse(await done("token list ada --json"))).toMatchObject([
        { name: "ci", scopes: ["read:misc", "write:issue", "read:user"] },
      ])
      await done("token remove ada ci")
      expect((await answer("/user", `token ${out}`)).status).toBe(401)
      expect(JSON.parse(await done("token list ada --json"))).toEqual([])
    })

    test("refuses unknown scopes, names that are taken, and people and tokens that aren't there", async () => {
      await add("ada")
      await run("token add ada ci --scope all")
      await fails(
        "token add ada ci --scope all",
        "ada has a token ci already.\nChoose another name, or remove that one first: hearth token remove ada ci",
      )
      await fails("token remove ada cd", "ada has no token cd.\n`hearth token list ada` shows those that there are.")
      await fails("token list ida", "There is no one called ida.")
      expect(await run("token add ada cd --scope everything")).toMatchObject({
        code: 2,
        out: "",
        said: expect.stringContaining('no scope "everything". Give all'),
      })
      expect(await run("token add ada cd")).toMatchObject({ code: 2, out: "", said: expect.stringContaining("--scope") })
    })
  })

  test("organisations are no people", async () => {
    await server.services.database.write(async (tx) => {
      await tx
        .insertInto("users")
        .values({ kind: "organization", name: "Acme", lower_name: "acme", created_at: 1, updated_at: 1 })
        .execute()
    })
    await fails("user admin acme on", "Acme is an organisation, not a person.")
  })

  test("many commands at once all come through, while the server writes too", async () => {
    const names = Array.from({ length: 8 }, (_, index) => `person${index}`)
    const [made] = await Promise.all([
      Promise.all(names.map((name) => run(`user add ${name} --email ${name}@example.org`))),
      ...names.map(async (name) => {
        const body = JSON.stringify({ name })
        const headers = { authorization: basic("root", "correct horse"), "content-type": "application/json" }
        expect((await fetch(`${server.url}/api/v1/user/repos`, { method: "POST", headers, body })).status).toBe(201)
      }),
    ])
    expect(made.map(({ code }) => code)).toEqual(names.map(() => 0))
    expect(JSON.parse(await done("user list --json"))).toHaveLength(names.length + 1)
  })
})

describe("an installation that isn't there", () => {
  let shell: Shell
  beforeEach(async () => {
    shell = await openShell()
  })
  afterEach(() => shell.close())

  test("is not made by looking at it", async () => {
    for (const args of ["user list", "user password ada", "token list ada"]) {
      const { code, said } = await shell.run(args)
      expect([code, said]).toEqual([
        1,
        expect.stringContaining("Start it once with `hearth serve`, or name the right folder with --data-dir."),
      ])
    }
    expect(await shell.run("doctor")).toMatchObject({ out: expect.stringContaining("not there yet") })
  })

  test("is made by its first person", async () => {
    const quiet = { HEARTH_LOG_LEVEL: "silent" }
    expect((await shell.run("user add ada --email ada@example.org --admin", quiet)).code).toBe(0)
    const server = await serveHearth({ env: { HEARTH_DATA_DIR: shell.dataDir, HEARTH_HTTP_PORT: "0", HEARTH_SSH_PORT: "0", ...quiet } })
    try {
      expect([server.administrator.name, server.made]).toEqual(["ada", undefined])
    } finally {
      await server.close()
    }
  })
})
