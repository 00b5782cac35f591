import type { Config } from "../../core/config.ts"
import type { Database } from "../../core/database/database.ts"
import { findMappedTeam, mappedTeams } from "../../features/people/sign-in/providers/groups.ts"
import { type Finding, ok, warning } from "./finding.ts"

/** Whether the directories of sign-ins can be asked. */
export async function* checkDirectories({ signIn: { directories } }: Config): AsyncGenerator<Finding> {
  if (directories.length === 0) return
  const { probeDirectory } = await import("../../features/people/sign-in/directories/ldap.ts")
  for (const directory of directories) {
    try {
      await probeDirectory(directory)
      yield ok(`directory ${directory.name}: ${directory.url} answers`)
    } catch (error) {
      const reason = error instanceof Error ? error.message.split("\n", 1)[0] : String(error)
      yield warning(
        `The directory ${directory.name} can't be asked: ${reason}.`,
        "No one can sign in by it. Compare url, startTls, caFile, bindDn, bindPassword and userBase in signIn.directories.",
      )
    }
  }
}

/** Whether groups are mapped to teams that exist. */
export async function* checkMappedTeams({ signIn }: Config, database: Database): AsyncGenerator<Finding> {
  for (const source of [...signIn.providers, ...signIn.directories])
    for (const { group, organization, team } of mappedTeams(source))
      if (!(await findMappedTeam({ database }, `${organization}/${team}`.toLowerCase())))
        yield warning(
          `The source of sign-ins ${source.name} maps ${group} to the team ${organization}/${team}, which is not there.`,
          "Make the organisation and the team, or correct the line in teams.",
        )
}
