/** A real directory (OpenLDAP's slapd). It must be installed; run with HEARTH_TEST_PROGRAMS=1. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect } from "vitest"
import { findUserByName } from "../../src/access/store.ts"
import { openBrowser } from "../support/browser.ts"
import { withWorld } from "../support/fixture.ts"
import { basic, freshHearth, PASSWORD } from "../support/hearth.ts"
import { freePort } from "../support/ports.ts"

const run = promisify(execFile)
const PATH = `${process.env["PATH"]}:/usr/sbin`
const SUFFIX = "dc=example,dc=com"
const SERVICE = `cn=service,${SUFFIX}`

const person = (uid: string, more = "") => `dn: uid=${uid},ou=people,${SUFFIX}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid} Of The Directory
sn: x
mail: ${uid}@directory.example
userPassword: ${uid}-secret
${more}
`
const group = (cn: string, ...members: readonly string[]) => `dn: cn=${cn},ou=groups,${SUFFIX}
objectClass: groupOfNames
cn: ${cn}
${members.map((uid) => `member: uid=${uid},ou=people,${SUFFIX}`).join("\n")}
`

/** A directory with people and groups, over plain text, StartTLS and TLS. */
async function openDirectory() {
  const folder = await mkdtemp(join(tmpdir(), "hearth-slapd-"))
  const [plain, secure] = [await freePort(), await freePort()]
  await mkdir(join(folder, "data"))
  const certificate = join(folder, "cert.pem")
  await run("openssl", [
    ..."req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1".split(" "),
    ...["-keyout", join(folder, "key.pem"), "-out", certificate],
  ])
  await writeFile(
    join(folder, "slapd.conf"),
    `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCertificateFile ${certificate}
TLSCertificateKeyFile ${join(folder, "key.pem")}
allow bind_anon_cred
database mdb
maxsize 10485760
suffix "${SUFFIX}"
rootdn "${SERVICE}"
rootpw service-secret
directory ${join(folder, "data")}
`,
  )
  const child = spawn(
    "slapd",
    ["-d", "0", "-f", join(folder, "slapd.conf"), "-h", `ldap://127.0.0.1:${plain} ldaps://127.0.0.1:${secure}`],
    {
      env: { ...process.env, PATH },
      stdio: "ignore",
    },
  )
  const failed = once(child, "error").then(([error]) => Promise.reject(new Error(`slapd is needed, Debian's package slapd: ${error}`)))
  const apply = async (program: "ldapadd" | "ldapmodify", text: string): Promise<void> => {
    const tool = spawn(program, ["-x", "-H", `ldap://127.0.0.1:${plain}`, "-D", SERVICE, "-w", "service-secret"], {
      stdio: ["pipe", "ignore", "pipe"],
    })
    tool.stdin.end(text)
    const [code] = await once(tool, "close")
    if (code !== 0) throw new Error(`${program} ended with ${code}`)
  }
  const isUp = async () => {
    for (;;) {
      const asked = await run("ldapsearch", ["-x", "-H", `ldap://127.0.0.1:${plain}`, "-b", "", "-s", "base"]).catch(() => undefined)
      if (asked) return
    }
  }
  await Promise.race([failed, isUp()])
  await apply(
    "ldapadd",
    `dn: ${SUFFIX}
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ou=people,${SUFFIX}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${SUFFIX}
objectClass: organizationalUnit
ou: groups

dn: ou=more,ou=people,${SUFFIX}
objectClass: organizationalUnit
ou: more

${["lisa", "marc", "nora", "ann"].map((uid) => person(uid)).join("\n")}
${person("twin")}
${person("twin").replace("uid=twin,", "cn=other,ou=more,").replace("cn: twin", "cn: other\ncn: twin")}
${group("staff", "lisa", "marc", "ann", "twin")}
${group("developers", "lisa")}
${group("chiefs", "lisa")}
`,
  )
  const leave = (cn: string, uid: string, how: "delete" | "add" = "delete") =>
    apply("ldapmodify", `dn: cn=${cn},ou=groups,${SUFFIX}\nchangetype: modify\n${how}: member\nmember: uid=${uid},ou=people,${SUFFIX}\n`)
  const close = async () => {
    const ended = once(child, "close")
    child.kill()
    await ended
    await rm(folder, { recursive: true })
  }
  return { plain, secure, certificate, leave, close }
}

/** A server that takes connections and says nothing. */
async function openSilent() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket))
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port, close }
}

async function open() {
  const [directory, silent] = [await openDirectory(), await openSilent()]
  const common = {
    userBase: `ou=people,${SUFFIX}`,
    bindDn: SERVICE,
    bindPassword: "service-secret",
    groupBase: `ou=groups,${SUFFIX}`,
    requiredGroups: ["Staff"],
    adminGroups: [`cn=chiefs,ou=groups,${SUFFIX}`],
    teams: ["developers = acme/builders", "nobody = acme/owners"],
    leaveTeams: true,
  }
  const serve = (source: object) =>
    freshHearth("sqlite", {
      security: { rememberSignInSeconds: 0 },
      signIn: { directories: [{ name: "corp", url: `ldap://127.0.0.1:${directory.plain}`, ...common, ...source }] },
    })
  const forge = await serve({})
  await forge.person("ann")
  await forge.call(forge.root, "POST /orgs", { username: "acme" })
  await forge.call(forge.root, "POST /orgs/acme/teams", { name: "builders", permission: "write", units_map: { "repo.code": "write" } })
  const whoIs = async (login: string, password: string, here = forge) => await here.call(basic(login, password), "GET /user")
  const close = async () => {
    await forge.close()
    silent.close()
    await directory.close()
  }
  return { ...forge, directory, silent, serve, whoIs, close }
}

withWorld("a directory", { open }, ({ test, world }) => {
  test("its people sign in on the page and by programs, are in their teams, and administrators", async () => {
    const { hearth, whoIs, call, root } = world
    const browser = openBrowser(hearth.url)
    expect((await browser.signIn("lisa@directory.example", "lisa-secret")).status).toBe(303)
    expect((await browser.get("/user/settings/security")).text).toContain("Signed in as lisa")
    const { status, body } = await whoIs("lisa", "lisa-secret")
    expect([status, body.login, body.full_name, body.is_admin]).toEqual([200, "lisa", "lisa Of The Directory", true])
    expect((await call(root, "GET /orgs/acme/members")).body.map((each: { login: string }) => each.login)).toContain("lisa")
    expect((await whoIs("marc", "marc-secret")).body.is_admin).toBe(false)
  })

  test("wrong and empty passwords, injected filters, twins and who is in no required group don't get in", async () => {
    const { whoIs, hearth } = world
    for (const [login, password] of [
      ["marc", "wrong"],
      ["marc", ""],
      ["*)(uid=*", "marc-secret"],
      ["marc)(|(uid=*", "marc-secret"],
      ["mar*", "marc-secret"],
      ["twin", "twin-secret"],
      ["marc\\2a", "marc-secret"],
    ] as const)
      expect([login, (await whoIs(login, password)).status]).toEqual([login, 401])
    expect((await whoIs("nora", "nora-secret")).status).toBe(403)
    for (const lowerName of ["nora", "twin"])
      expect(await findUserByName.first(hearth.services.database.read, { lowerName })).toBeUndefined()
  })

  test("an account of one's own making is not taken over, and its password stays here", async () => {
    const { whoIs } = world
    expect((await whoIs("ann", "ann-secret")).status).toBe(401)
    expect((await whoIs("ann@directory.example", "ann-secret")).status).toBe(403)
    expect((await whoIs("ann", PASSWORD)).status).toBe(200)
  })

  test("who leaves a team's group leaves it; who leaves the required ones is closed with all sessions, and opened again", async () => {
    const { whoIs, directory, call, root, hearth } = world
    const browser = openBrowser(hearth.url)
    await browser.signIn("lisa", "lisa-secret")
    await directory.leave("chiefs", "marc", "add")
    await directory.leave("chiefs", "lisa")
    await directory.leave("developers", "marc", "add")
    await directory.leave("developers", "lisa")
    expect((await whoIs("lisa", "lisa-secret")).body.is_admin).toBe(false)
    expect((await call(root, "GET /orgs/acme/members")).body.map((each: { login: string }) => each.login)).not.toContain("lisa")
    const token = (await call(basic("lisa", "lisa-secret"), "POST /users/lisa/tokens", { name: "t", scopes: ["read:user"] })).body.sha1
    await directory.leave("staff", "lisa")
    expect((await whoIs("lisa", "lisa-secret")).status).toBe(403)
    expect((await browser.get("/user/settings/security")).status).toBe(303)
    expect((await call(`token ${token}`, "GET /user")).status).toBe(403)
    await directory.leave("staff", "lisa", "add")
    expect((await whoIs("lisa", "lisa-secret")).status).toBe(200)
    await call(root, "PATCH /admin/users/lisa", { login_name: "lisa", source_id: 0, prohibit_login: true })
    expect((await whoIs("lisa", "lisa-secret")).status).toBe(401)
  })

  test("StartTLS, TLS and binding directly; a certificate that is not trusted is refused", async () => {
    const { directory, serve, whoIs } = world
    const caFile = directory.certificate
    const [plain, secure] = [`ldap://127.0.0.1:${directory.plain}`, `ldaps://localhost:${directory.secure}`]
    for (const [source, status] of [
      [{ url: secure, caFile }, 200],
      [{ url: plain, startTls: true, caFile }, 200],
      [{ url: plain, userDn: `uid={login},ou=people,${SUFFIX}`, bindDn: undefined, bindPassword: undefined }, 200],
      [{ url: secure }, 503],
      [{ url: plain, startTls: true }, 503],
    ] as const) {
      const forge = await serve(source)
      expect([source, (await whoIs("marc", "marc-secret", forge)).status]).toEqual([source, status])
      if ("userDn" in source) expect((await whoIs("marc,ou=people", "marc-secret", forge)).status).toBe(401)
      await forge.close()
    }
  })

  test("one that says nothing is given up on, and holds up no more than may wait for it", async () => {
    const { serve, silent, whoIs } = world
    const forge = await serve({ url: `ldap://127.0.0.1:${silent.port}` })
    const answers = await Promise.all(Array.from({ length: 30 }, (_, count) => whoIs(`someone${count}`, "secret-secret", forge)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    expect((await whoIs("root", "wrong", forge)).status).toBe(401)
    await forge.close()
  })
})
