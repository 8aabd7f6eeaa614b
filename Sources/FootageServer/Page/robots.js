// Where a server has several robots: which there are, and whose cameras are shown.

/** The robots of a list of cameras, in the order of their names; none where it is a robot's own. */
export function robotsOf(cameras) {
  return [...new Set(cameras.map(camera => camera.robot).filter(robot => robot !== undefined))].sort();
}

/** The one to show: the one that was chosen, where it is still there, else the first. */
export const shownRobot = (robots, chosen) => robots.includes(chosen) ? chosen : robots[0] ?? null;

/** Those of one robot; all where there is none. */
export const ofRobot = (cameras, robot) => robot === null ? cameras : cameras.filter(camera => camera.robot === robot);

/** What a camera is called below its robot: `rear` for `robot7:rear`. */
export const nameAtRobot = (name, robot) => name !== null && robot !== null && name.startsWith(robot + ':') ? name.slice(robot.length + 1) || null : name;

/** Whose a camera is, by its name; null where it is none of these. */
export const robotOf = (name, robots) => robots.find(robot => (name ?? '').startsWith(robot + ':')) ?? null;
