// Sky, haze, sun and ground: what gives depth.
import * as THREE from "three";
import { land, slabs } from "./materials";

const horizon = new THREE.Color("#d5dde3");
const zenith = new THREE.Color("#4f86bd");
const sunColor = new THREE.Color("#fff0d8");

export class Surroundings {
  readonly group = new THREE.Group();
  readonly sun = new THREE.DirectionalLight(sunColor, 3.4);
  readonly sky: THREE.Mesh;
  private readonly toSun = new THREE.Vector3(-0.62, -0.3, 0.72).normalize();

  /** `floor`: height of the ground; `high`: the ground is far below. */
  constructor(scene: THREE.Scene, floor: number, high: boolean) {
    scene.fog = new THREE.FogExp2(horizon, high ? 0.0032 : 0.012);
    this.sky = skyDome(this.toSun);
    const ambient = new THREE.HemisphereLight("#cfe0f2", "#9a917f", 1.7);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.05;
    this.group.add(this.sky, ambient, this.sun, this.sun.target, ground(floor, high));
    this.cover(new THREE.Vector3(), 10);
  }

  /** Shadows are cast around a place; the reach is what the sun's map covers. */
  cover(center: THREE.Vector3, reach: number): void {
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).addScaledVector(this.toSun, 60);
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 20;
    camera.far = 110;
    camera.updateProjectionMatrix();
    this.sun.target.updateMatrixWorld();
  }
}

function skyDome(toSun: THREE.Vector3): THREE.Mesh {
  const material = new THREE.ShaderMaterial({
    side: THREE.BackSide,
    depthWrite: false,
    fog: false,
    uniforms: { horizon: { value: horizon }, zenith: { value: zenith }, sun: { value: toSun }, glow: { value: sunColor } },
    vertexShader: `varying vec3 direction;
      void main() {
        direction = position;
        vec4 p = projectionMatrix * vec4(mat3(modelViewMatrix) * position, 1.0);
        gl_Position = p.xyww;
      }`,
    fragmentShader: `varying vec3 direction; uniform vec3 horizon, zenith, sun, glow;
      void main() {
        vec3 d = normalize(direction);
        float up = clamp(d.z, 0.0, 1.0);
        vec3 color = mix(horizon, zenith, 1.0 - exp(-2.6 * up));
        float s = max(dot(d, sun), 0.0);
        color += glow * (0.22 * pow(s, 12.0) + 0.5 * pow(s, 220.0));
        gl_FragColor = vec4(color, 1.0);
        #include <colorspace_fragment>
      }`,
  });
  const dome = new THREE.Mesh(new THREE.SphereGeometry(10, 32, 16), material);
  dome.frustumCulled = false;
  dome.renderOrder = 10; // last of what is opaque: only what nothing hides is drawn
  return dome;
}

function ground(floor: number, high: boolean): THREE.Object3D {
  const size = high ? 4000 : 400;
  const map = high ? land() : slabs();
  map.repeat.set(size / (high ? 160 : 4), size / (high ? 160 : 4));
  const material = new THREE.MeshLambertMaterial({ map });
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(size, size), material);
  mesh.position.z = floor;
  mesh.receiveShadow = !high;
  mesh.name = "ground";
  return mesh;
}
