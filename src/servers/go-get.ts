import type { FastifyInstance, FastifyRequest } from "fastify"
import { locateRepository } from "../access/policies/repositories.ts"
import { anonymous } from "../core/actor.ts"
import { Refusal, Renamed } from "../core/errors.ts"
import { html } from "../core/html.ts"
import type { Services } from "../core/services.ts"
import { escapePath } from "../core/text/escape-path.ts"
import { isAccountName } from "../features/people/users/names.ts"
import { queryOf } from "../web/address.ts"

/**
 * Answers the question of the go command, `?go-get=1` at any path below a repository: where the code of this import path is. The answer is the
 * same whether the repository can be seen, or exists: git asks for credentials then, and nothing is told before.
 */
export function registerGoGet(app: FastifyInstance, services: Services): void {
  app.addHook("onRequest", async (request, reply) => {
    const names = askedFor(request)
    if (!names) return
    const branch = await branchOf(services, names)
    reply
      .type("text/html;charset=utf-8")
      .header("content-security-policy", "default-src 'none'")
      .send(String(answerFor(services.site.rootUrl, names, branch)))
    return reply
  })
}

interface Names {
  readonly owner: string
  readonly repo: string
}

const REPOSITORY = /^[\w.-]{1,100}$/

function askedFor(request: FastifyRequest): Names | undefined {
  if (request.method !== "GET" || !request.url.includes("go-get=1") || queryOf(request.url).get("go-get") !== "1") return undefined
  const [, owner = "", name = ""] = request.url.split(/[/?]/, 3)
  const repo = name.replace(/\.git$/, "")
  return isAccountName(owner) && REPOSITORY.test(repo) ? { owner, repo } : undefined
}

/** The default branch, where everyone may know it; else the one that new repositories have. */
async function branchOf({ database, config }: Services, { owner, repo }: Names): Promise<string> {
  const usual = config.repository.defaultBranch
  if (config.security.requireSignIn) return usual
  try {
    return (await locateRepository(database.read, anonymous, owner, repo)).repository.default_branch
  } catch (error) {
    if (error instanceof Refusal || error instanceof Renamed) return usual
    throw error
  }
}

function answerFor(rootUrl: string, { owner, repo }: Names, branch: string) {
  const module = `${rootUrl.replace(/^https?:\/\//, "")}/${owner}/${repo}`
  const home = `${rootUrl}/${owner}/${repo}`
  const tree = `${home}/src/branch/${escapePath(branch)}{/dir}`
  return html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <title>${owner}/${repo}</title>
        <meta name="go-import" content="${module} git ${home}.git">
        <meta name="go-source" content="${module} _ ${tree} ${tree}/{file}#L{line}">
      </head>
      <body>
        <p>go get ${module}</p>
      </body>
    </html>
    ${"\n"}
  `
}
