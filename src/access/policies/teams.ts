import { isPublicOnlyIn } from "../../core/actor.ts"
import { refuse } from "../../core/errors.ts"
import { type Access, pathNumber, type Request } from "../../core/operation.ts"
import { findTeam, findTeamMember, findUserById } from "../store.ts"
import { organizationVisible, type Team, teamVisible } from "../visibility.ts"
import { roleIn } from "./organization-role.ts"
import type { OnOrganization } from "./organizations.ts"
import { asMe, type Me } from "./site.ts"

interface OnTeam extends OnOrganization, Me {
  readonly team: Team
  readonly isTeamMember: boolean
}

/** The team of the path's {id}. A team that does not exist is missing also for anonymous callers. */
async function locateTeam({ db, actor, path }: Request): Promise<OnTeam> {
  const team = await findTeam.first(db, { id: pathNumber(path["id"]) })
  const organization = team && (await findUserById.first(db, { id: team.organization_id }))
  if (!team || !organization) throw refuse.notFound()
  if (isPublicOnlyIn(actor, organization) && organization.visibility !== "public") throw refuse.notFound()
  const me = asMe(actor)
  const role = await roleIn(db, actor, organization)
  if (!organizationVisible(actor, organization, role.isMember || role.isWithheld)) throw refuse.notFound()
  const isTeamMember = (await findTeamMember.first(db, { teamId: team.id, userId: me.me.id })) !== undefined
  return { ...me, team, organization, role, isTeamMember }
}

const teamPolicy = (needs: "read" | "privileged" | "owner"): Access<OnTeam> => ({
  rule: { subject: "team", needs, signIn: "required" },
  open: async (request) => {
    const found = await locateTeam(request)
    const { actor, team, organization, role, isTeamMember } = found
    if (needs === "read" && !teamVisible(actor, team, organization, role, isTeamMember)) throw refuse.notFound()
    // Clients expect `forbidden` for a team that they may not change, whether or not they may read it.
    if (needs === "owner" && !role.isOwner) throw refuse.forbidden("Must be an organization owner")
    if (needs === "privileged" && !isTeamMember && !role.isOwner)
      throw role.isMember ? refuse.forbidden("Must be a team member") : refuse.notFound()
    return found
  },
})

export const onTeam = teamPolicy("read")
export const onTeamPrivileged = teamPolicy("privileged")
export const onTeamAsOwner = teamPolicy("owner")
