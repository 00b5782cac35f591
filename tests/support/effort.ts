/** The seconds of processor time that this process spends on `work`: independent of how busy the machine is. */
export async function effortOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
