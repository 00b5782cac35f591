import { stories } from "./stories.ts"

stories((story) => {
  story("code, issues, people and repositories are found by those who may see them", async ({ ask, enter, made, own, settled }) => {
    const names = [own("lamp-lighthouse"), own("lamp-lagoon")]
    for (const at of [await made("lamp-lighthouse"), await made("lamp-lagoon", { private: true })]) {
      await ask("ann", `POST /repos${at}/contents/lamp.js`, { content: btoa(`export const ${own("beacon").replace("-", "")} = 1\n`) })
      await ask("ann", `POST /repos${at}/issues`, { title: `Clean the lens of ${at.slice(5)}`, body: `${own("dust")} @bob` })
    }
    await settled()
    const [owner, stranger] = [await enter("ann"), await enter("bob")]
    for (const [path, words] of [
      ["/explore/code", own("beacon").replace("-", "")],
      ["/explore/repos", "lamp-"],
    ] as const) {
      for (const person of [owner, stranger]) {
        await person.open(path)
        await person.send({ [path === "/explore/code" ? "Search code" : "Search repositories"]: words }, "Search")
      }
      for (const name of names) await owner.sees(name)
      await stranger.sees(own("lamp-lighthouse"))
      await stranger.misses(own("lamp-lagoon"))
    }
    await owner.open(`/ann/${own("lamp-lagoon")}/issues`)
    await owner.send({ Filter: `is:open lens author:ann` }, "Filter")
    await owner.sees("Clean the lens")
    await owner.send({ Filter: `is:open lens -author:ann` }, "Filter")
    await owner.misses("Clean the lens")
    await stranger.open("/explore/users")
    await stranger.send({ "Search people": "an" }, "Search")
    await stranger.press("ann")
    await stranger.sees("lamp-lighthouse")
    await stranger.misses("lamp-lagoon")
  })
})
