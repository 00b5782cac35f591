import { resolve } from "node:path"
import { gitFigures, gitLines } from "./git.ts"
import { type Server, startServer } from "./server.ts"

/**
 * Prints the figures of git alone: `node bench/git-run.ts [--beside FOLDER] [REPOSITORY…]`. FOLDER is another checkout, such as the version before, whose server is measured in turn with this one.
 * REPOSITORIES are bare ones whose branch is pushed and cloned; by default a history of 5,000 commits that is made here.
 */

const [flag, folder, ...others] = process.argv.slice(2)
const besides = flag === "--beside" && folder !== undefined ? [resolve(folder)] : []
const sources = besides.length > 0 ? others : process.argv.slice(2)

const servers: Server[] = [await startServer()]
try {
  for (const checkout of besides) {
    const other: { readonly startServer: typeof startServer } = await import(`${checkout}/bench/server.ts`)
    servers.push(await other.startServer())
  }
  for (const source of sources.length > 0 ? sources : [undefined]) {
    if (source !== undefined) console.log(source)
    for (const { what, figure, goal, met } of gitLines(await gitFigures(servers, source)))
      console.log(`${met ? "  ok " : "SHORT"}  ${what.padEnd(48)} ${figure.padEnd(52)} goal ${goal}`)
  }
} finally {
  for (const server of servers) await server.stop()
}
