#!/usr/bin/env node
// Asks a server what a reference server answered before, and compares.
//
//   node check.mjs BASE ANSWERS.json[.gz] CREDENTIALS.json          compare; exit 1 on a difference
//   node check.mjs BASE ANSWERS.json[.gz] CREDENTIALS.json record   ask the same and write the answers anew
//
// ANSWERS: { answers: [ { path, as, root?, basic?, status, type, location?, body } ], checks: { name: result }, refs: { "owner/name": "digest of ls-remote" } }.
// "as" is a login (its token named "all" is used; "basic": its password) or null (anonymous). "root": the path is not below /api/v1. All are GET.
// A body that is not JSON is its text when short, else "sha256:…". "checks" are what the credentials can do: passwords, tokens and their scopes, TOTP, SSH keys,
// deploy keys, LFS, OAuth2, a runner, a webhook's signature; "refs" and "fsck" what git sees. Environment: DIFFS=20 (how many to print), ONLY=text (paths that contain it), SKIP=git,checks.
// Beyond the reference's player: ACCEPTED=FILE.json, by default differing.json beside this file: where Hearth answers otherwise on purpose, [{ "at", "as", "difference", "why" }],
// regular expressions of the title and of one difference, in which [3] is []. An answer all of whose differences are named passes and is counted beside.
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createHash, createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'

const [base0, answersFile, credFile, mode] = process.argv.slice(2)
if (!base0 || !answersFile) { console.error('usage: check.mjs BASE ANSWERS CREDENTIALS [record]'); process.exit(2) }
const base = base0.replace(/\/$/, ''), record = mode === 'record'
const raw = readFileSync(answersFile), want = JSON.parse(answersFile.endsWith('.gz') ? gunzipSync(raw) : raw)
const cred = credFile ? JSON.parse(readFileSync(credFile, 'utf8')) : null
const basic = (u, p) => 'Basic ' + Buffer.from(`${u}:${p}`).toString('base64')
const sha = (b) => 'sha256:' + createHash('sha256').update(b).digest('hex')
const tokenOf = (u) => cred.tokens.find((t) => t.user === u && t.name === 'all')?.token
const passOf = (u) => u === 'root' ? cred.admin.password : cred.users[u].password
const ACCEPTED = JSON.parse(readFileSync(process.env.ACCEPTED ?? new URL('differing.json', import.meta.url), 'utf8')).map((x) => ({ ...x, at: new RegExp(x.at), difference: new RegExp(x.difference), used: 0 }))
const unexplained = (title, diffs) => diffs.filter((d) => { const x = ACCEPTED.find((x) => x.at.test(title) && x.difference.test(d.replace(/\[\d+\]/g, '[]'))); if (x) x.used++; return !x })
let accepted = 0
const most = Number(process.env.LINES ?? 6)
const debase = (s) => s.replaceAll(base, '{base}').replace(/https?:\/\/(localhost|127\.0\.0\.1)(:\d+)?(?=[/"'\s)\\]|$)/g, '{base}').replaceAll(encodeURIComponent(base), '{base}')

const OLD = /404 page not found/
const zipList = (b) => { const l = []; for (let i = b.indexOf('PK\x01\x02'); i >= 0; i = b.indexOf('PK\x01\x02', i + 4)) l.push(`${b.subarray(i + 46, i + 46 + b.readUInt16LE(i + 28))} ${b.readUInt32LE(i + 16).toString(16)} ${b.readUInt32LE(i + 24)}`); return l.sort() } // name, CRC, length
async function ask({ path, as, root, basic: withPassword }) {
  const headers = as ? { authorization: withPassword ? basic(as, passOf(as)) : `token ${tokenOf(as)}` } : {}
  const r = await fetch(base + (root ? '' : '/api/v1') + path, { headers, redirect: path.endsWith('/zip') ? 'follow' : 'manual' })
  const data = Buffer.from(await r.arrayBuffer()), type = (r.headers.get('content-type') ?? '').split(';')[0]
  const out = { status: r.status, type }
  if (record && r.status === 404 && OLD.test(data.toString())) return { status: 0 } // an address that the reference does not have
  if (r.headers.get('location')) out.location = debase(r.headers.get('location'))
  if (r.status >= 400 || r.status === 204 || data.length === 0 || /\/archive\//.test(path) || type === 'text/html') return out
  if (/json/.test(type)) { try { out.body = JSON.parse(debase(data.toString())) } catch { out.body = '<bad json>' } return out }
  const text = data.toString('latin1').includes('\0') ? null : data.toString().replace(/\n-- \n[\d.a-zA-Z-]+\n\n?$/, '\n') // the git version that ends a patch
  out.body = text !== null && text.length < 3000 ? debase(text) : sha(text ?? data)
  if (path.endsWith('/zip')) out.body = zipList(data)
  return out
}

// What may differ: sizes, avatar addresses, moments of last use, what a clock drives.
const IGNORED = /(^|_)size$|^(avatar_url|ssh_url|last_login|last_used_at|last_online|download_count|seconds|duration|busy|mirror_updated|last_update|last_error|git_size|language)$/
const FREE = [/^\/admin\/cron/, /gpg_key_token/]
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const instant = (s) => Math.floor(Date.parse(s) / 1000)
const SPECIFIED = [
  { path: /^(\/teams\/|\/orgs\/[^/]+\/teams)/, recorded: [403], also: [404, 200] }, // a public team is seen by anyone signed in, a private one is missing for others
  { path: /\/issues\/[^/]+\/subscriptions/, recorded: [200], also: [200] }, // everybody who is subscribed: author, participants and watchers too
]
let reordered = 0
function compare(w, g, at, diffs, key = '') {
  if (IGNORED.test(key)) return
  if (typeof w === 'string' && typeof g === 'string') {
    if (w === g) return
    if (TIME.test(w) && TIME.test(g) && instant(w) === instant(g)) return
    if (key === 'public_key' && g.startsWith('-----BEGIN PGP')) return
    if (key === 'status' && ['queued', 'waiting', 'in_progress'].includes(w) && g === 'completed') return // a waiting run is given up after a day
    if (key === 'status' && ['online', 'offline'].includes(w)) return
    return diffs.push(`${at}: expected ${JSON.stringify(w).slice(0, 140)}, got ${JSON.stringify(g).slice(0, 140)}`)
  }
  if ((w === null || w === undefined) && (g === null || g === undefined || (Array.isArray(g) && g.length === 0))) return
  if (Array.isArray(w) && w.length === 0 && (g === null || g === undefined)) return
  if (Array.isArray(w)) {
    if (!Array.isArray(g)) return diffs.push(`${at}: expected a list, got ${JSON.stringify(g)?.slice(0, 80)}`)
    if (key === 'units' || key === 'events') { w = [...w].sort(); g = [...g].sort() }
    if (w.length !== g.length) diffs.push(`${at}: expected ${w.length} items, got ${g.length}`)
    const id = (x) => x?.id ?? x?.sha ?? x?.name ?? JSON.stringify(x)
    const a = w.map(id), b = g.map(id)
    if (a.join() !== b.join() && [...a].sort().join() === [...b].sort().join()) { reordered++; g = a.map((x) => g[b.indexOf(x)]) } // equal moments have no order
    for (let i = 0; i < Math.min(w.length, g.length); i++) compare(w[i], g[i], `${at}[${i}]`, diffs, key)
  } else if (w && typeof w === 'object') {
    if (!g || typeof g !== 'object' || Array.isArray(g)) return diffs.push(`${at}: expected an object, got ${JSON.stringify(g)?.slice(0, 80)}`)
    for (const k of Object.keys(w)) if (!IGNORED.test(k)) (k in g) || w[k] === null ? compare(w[k], g[k], `${at}.${k}`, diffs, k) : diffs.push(`${at}.${k}: missing (expected ${JSON.stringify(w[k])?.slice(0, 80)})`)
  } else if (w !== g) diffs.push(`${at}: expected ${JSON.stringify(w)?.slice(0, 140)}, got ${JSON.stringify(g)?.slice(0, 140)}`)
}
function differences(w, g) {
  const diffs = []
  if (w.status >= 500) return g.status === 0 ? ['no answer'] : diffs // the reference failed: any answer is as good
  if (SPECIFIED.some((r) => r.path.test(w.path) && r.recorded.includes(w.status) && r.also.includes(g.status)) || FREE.some((r) => r.test(w.path))) return diffs
  if (w.status !== g.status) diffs.push(`status: expected ${w.status}, got ${g.status}`)
  else if (w.status < 300 && 'body' in w) compare(w.body, g.body, 'body', diffs)
  if (w.location && w.location !== g.location) diffs.push(`location: expected ${w.location}, got ${g.location}`)
  return diffs
}
async function each(list, n, f) { let i = 0; await Promise.all(Array.from({ length: n }, async () => { while (i < list.length) { const k = i++; await f(list[k], k) } })) }

// ---- what the credentials can do
const dir = mkdtempSync(`${tmpdir()}/takeover-`)
const git = (args, env = {}) => new Promise((done) => execFile(process.env.GIT ?? 'git', args, { cwd: dir, timeout: 60000, maxBuffer: 1 << 26, env: { ...process.env, GIT_TERMINAL_PROMPT: '0', HOME: dir, GIT_CONFIG_NOSYSTEM: '1', ...env } }, (e, out, err) => done({ ok: !e, out: String(out), err: String(err) })))
const status = async (method, path, headers = {}, body) => { const r = await fetch(base + path, { method, headers, body, redirect: 'manual' }); const text = await r.text(); let json; try { json = JSON.parse(text) } catch {} return { status: r.status, json, text } }
const b32 = (x) => Buffer.from([...x].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('').match(/.{8}/g).map((y) => parseInt(y, 2)))
const totp = (secret) => { const t = Buffer.alloc(8); t.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000))); const h = createHmac('sha1', b32(secret)).update(t).digest(), o = h[19] & 15; return String((h.readUInt32BE(o) & 0x7fffffff) % 1e6).padStart(6, '0') }
const J = { 'content-type': 'application/json' }

async function checks() {
  const out = {}, N = cred.names, own = N.own, repo = `/api/v1/repos/${own}/${N.main}`
  for (const [u, x] of Object.entries(cred.users)) {
    const r = await status('GET', '/api/v1/user', { authorization: basic(u, x.password) })
    out[`password of ${u} (${x.algorithm}${x.role ? ', ' + x.role : ''})`] = r.status === 200 ? `200 id ${r.json.id}` : r.status
  }
  out['a wrong password'] = (await status('GET', '/api/v1/user', { authorization: basic(own, 'wrong-password') })).status
  for (const t of cred.tokens) {
    const got = []
    for (const p of ['/user', `/repos/${own}/${N.main}`, `/repos/${own}/${N.priv_r}`, `/repos/${own}/${N.main}/issues`, '/notifications', `/packages/${own}`, `/orgs/${N.org}`, '/admin/users', '/user/emails']) got.push((await status('GET', '/api/v1' + p, { authorization: `token ${t.token}` })).status)
    out[`token ${t.name} of ${t.user} ${t.scopes.join()}`] = got.join(' ')
    out[`token ${t.name} of ${t.user} as a password`] = (await status('GET', '/api/v1/version', { authorization: basic(t.user, t.token) })).status
  }
  for (const t of cred.totp) {
    out[`TOTP of ${t.user}: demanded`] = (await status('GET', '/api/v1/user', { authorization: basic(t.user, passOf(t.user)) })).status
    out[`TOTP of ${t.user}: taken`] = (await status('GET', '/api/v1/user', { authorization: basic(t.user, passOf(t.user)), 'x-gitea-otp': totp(t.secret) })).status
    out[`TOTP of ${t.user}: wrong one refused`] = (await status('GET', '/api/v1/user', { authorization: basic(t.user, passOf(t.user)), 'x-gitea-otp': String((+totp(t.secret) + 1) % 1e6).padStart(6, '0') })).status
  }
  // SSH: the server says where; each key reads, and writes (dry run) where it may
  const where = (await status('GET', repo, { authorization: `token ${tokenOf(own)}` })).json?.ssh_url ?? ''
  await git(['init', '-q', 'w']); await git(['-C', 'w', '-c', 'user.name=x', '-c', 'user.email=x@example.org', 'commit', '-q', '--allow-empty', '-m', 'x'])
  for (const k of [...cred.ssh, ...cred.deploy_keys]) {
    const f = `${dir}/key${k.id}${k.user ?? 'deploy'}`; writeFileSync(f, k.private, { mode: 0o600 })
    const env = { GIT_SSH_COMMAND: `ssh -i ${f} -F /dev/null -o IdentitiesOnly=yes -o IdentityAgent=none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes` }
    const name = k.user ? `SSH key ${k.name} of ${k.user}` : `deploy key ${k.id}${k.read_only ? ' read only' : ''}`
    out[`${name}: reads`] = (await git(['ls-remote', where], env)).ok
    out[`${name}: writes`] = (await git(['-C', 'w', 'push', '--dry-run', where, 'HEAD:refs/heads/from-check'], env)).ok
    out[`${name}: reads the private one`] = (await git(['ls-remote', where.replace(`/${N.main}.git`, `/${N.priv_r}.git`)], env)).ok
  }
  for (const l of cred.lfs) {
    const b = await status('POST', `/${l.owner}/${l.repo}.git/info/lfs/objects/batch`, { accept: 'application/vnd.git-lfs+json', 'content-type': 'application/vnd.git-lfs+json', authorization: basic(own, tokenOf(own)) }, JSON.stringify({ operation: 'download', transfers: ['basic'], objects: [{ oid: l.oid, size: l.size }] }))
    const a = b.json?.objects?.[0]?.actions?.download
    const r = a ? await fetch(a.href.replace(/^https?:\/\/[^/]+/, base), { headers: { authorization: basic(own, tokenOf(own)), ...a.header } }) : null
    out[`LFS ${l.path} ${l.missing ? '(its file is missing)' : ''}`] = !r ? `no action ${b.json?.objects?.[0]?.error?.code ?? b.status}` : sha(Buffer.from(await r.arrayBuffer())) === `sha256:${l.oid}` ? 'equal' : `differs ${r.status}`
  }
  const g = cred.oauth2_grant, a = cred.oauth2.find((x) => x.client_id === g?.client_id)
  if (a) for (const secret of ['wrong-secret', a.client_secret]) {
    const r = await status('POST', '/login/oauth/access_token', J, JSON.stringify({ grant_type: 'refresh_token', client_id: a.client_id, client_secret: secret, refresh_token: g.refresh_token }))
    out[`OAuth2 refresh with ${secret === a.client_secret ? 'the right secret' : 'a wrong secret'}`] = r.status
    if (r.json?.access_token) out['OAuth2 token is'] = (await status('GET', '/api/v1/user', { authorization: `Bearer ${r.json.access_token}` })).json?.login ?? 'nobody'
  }
  for (const x of cred.oauth2) out[`OAuth2 application ${x.name}: known`] = [302, 303].includes((await status('GET', `/login/oauth/authorize?client_id=${x.client_id}&redirect_uri=${encodeURIComponent('https://app.example.org/cb')}&response_type=code&state=s`)).status)
  if (cred.runner.file) for (const token of [cred.runner.file.token, 'wrong']) out[`the runner's ${token === 'wrong' ? 'wrong ' : ''}token`] = 200 === (await status('POST', '/api/actions/runner.v1.RunnerService/Declare', { ...J, 'x-runner-uuid': cred.runner.file.uuid, 'x-runner-token': token }, JSON.stringify({ version: 'check', labels: ['takeover'] }))).status ? 'taken' : 'refused'
  // a webhook is delivered with its signature and its Authorization header
  const h = cred.webhook_secrets.find((x) => x.path.startsWith('/repos'))
  if (h) {
    const hook = (await status('GET', `/api/v1${h.path}`, { authorization: `token ${tokenOf(own)}` })).json
    const got = await new Promise(async (done) => {
      const s = createServer((q, r) => { const c = []; q.on('data', (d) => c.push(d)); q.on('end', () => { r.end('ok'); s.close(); done(`signature ${q.headers['x-gitea-signature'] === createHmac('sha256', h.secret).update(Buffer.concat(c)).digest('hex')}, authorization ${q.headers.authorization === h.authorization_header}`) }) })
      s.on('error', () => done('no listener')); s.listen(+new URL(hook?.config?.url ?? 'http://x:1').port, '127.0.0.1')
      setTimeout(() => { s.close(); done('not delivered') }, 15000).unref()
      await status('POST', `/api/v1${h.path}/tests`, { authorization: `token ${tokenOf(own)}` })
    })
    out['webhook delivery'] = got
  }
  return out
}
// ---- what git sees
async function gitSees(repos) {
  const refs = {}, fsck = {}
  const url = (r) => base.replace('://', `://root:${tokenOf('root')}@`) + `/${r}.git`
  await each(Object.keys(repos), 3, async (r) => {
    const l = await git(['ls-remote', url(r)]); refs[r] = l.ok ? sha(l.out.split('\n').filter((x) => !x.endsWith('HEAD')).sort().join('\n')).slice(7, 23) + ` ${l.out.split('\n').length - 1} refs` : 'refused'
    if (repos[r] === 'deep') { const d = r.replace(/\W/g, '_'); const c = await git(['clone', '-q', '--mirror', url(r), d]); fsck[r] = !c.ok ? 'no clone' : (await git(['-C', d, 'fsck', '--full', '--strict'])).ok ? 'clean' : 'not clean'; rmSync(`${dir}/${d}`, { recursive: true, force: true }) }
  })
  return { refs, fsck }
}

let equal = 0, total = 0, printed = 0
const max = Number(process.env.DIFFS ?? 20), skip = (process.env.SKIP ?? '').split(',')
const report = (title, all) => { const diffs = unexplained(title, all); if (diffs.length === 0) { accepted++; return } if (printed++ < max) console.log(`DIFF ${title}\n  ${diffs.slice(0, most).join('\n  ')}${diffs.length > most ? `\n  … ${diffs.length - most} more` : ''}`) }
await each(want.answers.filter((w) => !process.env.ONLY || w.path.includes(process.env.ONLY)), 4, async (w) => {
  let got; try { got = await ask(w) } catch (e) { got = { status: 0, type: e.message } }
  if (record) return Object.assign(w, { body: undefined, location: undefined }, got)
  total++; const diffs = differences(w, got)
  if (diffs.length === 0) equal++; else report(`GET ${w.path} [${w.as ?? 'anonymous'}]`, diffs)
})
const known = (x) => ({ refs: Object.fromEntries(Object.entries(x.refs).filter(([k, v]) => v !== 'refused' || !k.endsWith('.wiki'))), fsck: Object.fromEntries(Object.entries(x.fsck).filter(([, v]) => v !== 'no clone')) }) // a wiki never written has no repository
const same = (kind, w, g) => { for (const k of Object.keys(w)) { total++; if (w[k] === g[k]) equal++; else report(`${kind} ${k}`, [`expected ${w[k]}, got ${g[k]}`]) } }
if (cred && !skip.includes('checks')) { const g = await checks(); if (record) want.checks = g; else same('check', want.checks, g) }
if (cred && !skip.includes('git')) { const g = await gitSees(want.repos); if (record) Object.assign(want, known(g)); else { same('refs of', want.refs, g.refs); same('fsck of', want.fsck, g.fsck) } }
rmSync(dir, { recursive: true, force: true })
if (record) { want.answers = want.answers.filter((w) => w.status !== 0); const t = JSON.stringify(want); writeFileSync(answersFile, answersFile.endsWith('.gz') ? gzipSync(t, { level: 9 }) : t); console.log(`recorded ${want.answers.length} answers`) } else { console.log(`${equal} of ${total} answers equal, ${accepted} differ as differing.json says${reordered ? ` (${reordered} lists in another order)` : ''}`); if (!process.env.ONLY && !process.env.SKIP) for (const x of ACCEPTED.filter((x) => x.used === 0)) console.log(`not met: ${x.at} ${x.difference}`)
  process.exit(equal + accepted === total ? 0 : 1) }
