"""Link poses of the kinematics unit against Pinocchio, which reads the same URDF, at random positions of all axes.

usage: pinocchio_check.py KINEMATICS.fmu MACHINE.urdf
"""
import sys

import fmpy
import numpy as np
import pinocchio

POSES = 100
TOLERANCE = 1e-9


def link_names(description):
    poses = next(v for v in description.modelVariables if v.name == "links.poses")
    return poses.description.split("world: ")[1].split(", ")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    archive, urdf = sys.argv[1:]
    model = pinocchio.buildModelFromUrdf(urdf)
    data = model.createData()
    description = fmpy.read_model_description(archive)
    names = link_names(description)
    variables = {v.name: v for v in description.modelVariables}
    axes = [n.removesuffix(".position") for n in variables if n.endswith(".position")]
    joints = [n.removeprefix("joint.") for n in variables if n.startswith("joint.")]
    random = np.random.default_rng(5)
    folder = fmpy.extract(archive)
    unit = fmpy.instantiate_fmu(folder, description, "CoSimulation")
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    reference = lambda name: variables[name].valueReference
    worst = 0
    for i in range(POSES):
        for axis in axes:
            limits = variables[axis + ".position"]
            unit.setFloat64([limits.valueReference], [random.uniform(float(limits.min), float(limits.max))])
        unit.doStep(0.01 * i, 0.01)
        q = np.zeros(model.nq)
        for joint in joints:
            q[model.joints[model.getJointId(joint)].idx_q] = unit.getFloat64([reference("joint." + joint)])[0]
        pinocchio.framesForwardKinematics(model, data, q)
        ours = np.array(unit.getFloat64([reference("links.poses")], 7 * len(names))).reshape(-1, 7)
        for name, pose in zip(names, ours):
            theirs = data.oMf[model.getFrameId(name, pinocchio.FrameType.BODY)]
            turn = pinocchio.Quaternion(pose[6], pose[3], pose[4], pose[5]).matrix()
            worst = max(worst, np.abs(theirs.translation - pose[:3]).max(), np.abs(theirs.rotation - turn).max())
    unit.terminate()
    unit.freeInstance()
    print(f"{POSES} poses of {len(names)} links: largest difference {worst:.1e}")
    sys.exit(0 if worst < TOLERANCE else 1)


if __name__ == "__main__":
    main()
