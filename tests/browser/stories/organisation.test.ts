import { expect } from "vitest"
import { stories } from "./stories.ts"

stories((story) => {
  story("an organisation gets a team, and outsiders know nothing of its work", async ({ ask, enter, forge, own }) => {
    const [crew, cid] = [own("crew"), own("cid")]
    await forge.person(cid)
    const [owner, member, outsider] = [await enter("ann"), await enter("bob"), await enter(cid)]
    await owner.open("/org/create")
    await owner.send({ Name: crew, "Full name": "The crew" }, "Create organization")
    await owner.open("/repo/create")
    await owner.send({ Owner: crew, Name: "hut", Private: "yes", "Add a README": "yes" }, "Create repository")
    await owner.open(`/org/${crew}/teams/new`)
    await owner.send({ Name: "makers", Code: "write", Issues: "read" }, "Create team")
    await owner.open(`/org/${crew}/teams/makers`)
    await owner.send({ Name: "bob" }, "Add")
    await owner.open(`/org/${crew}/teams/makers/repositories`)
    await owner.send({ Name: "hut" }, "Add")

    await member.open(`/${crew}/hut/_edit/main/README.md`)
    await member.send({ Content: "# Hut\n\nA roof.\n", "Commit message": "Add a roof" }, "Commit")
    await member.sees("A roof.")
    for (const path of [`/${crew}/hut`, `/${crew}/hut/issues`, `/org/${crew}/teams/makers`]) {
      await outsider.open(path)
      await outsider.sees("404")
    }
    await owner.open(`/org/${crew}/teams/makers`)
    await owner.press("Remove bob")
    await member.open(`/${crew}/hut`)
    await member.sees("404")
    expect(await ask("ann", `GET /orgs/${crew}/members`)).toMatchObject([{ login: "ann" }])
  })
})
