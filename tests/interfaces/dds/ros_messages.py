"""Messages of ROS 2 for the `cyclonedds` package, on the loopback interface alone."""
import os
from dataclasses import dataclass

os.environ['CYCLONEDDS_URI'] = (
    '<CycloneDDS><Domain><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>'
    '<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>'
    '<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>')

from cyclonedds.idl import IdlStruct  # noqa: E402
from cyclonedds.idl.types import float64, int32, sequence, uint8, uint32  # noqa: E402


@dataclass
class Time(IdlStruct, typename='builtin_interfaces::msg::dds_::Time_'):
    sec: int32
    nanosec: uint32


@dataclass
class Header(IdlStruct, typename='std_msgs::msg::dds_::Header_'):
    stamp: Time
    frame_id: str


@dataclass
class Dimension(IdlStruct, typename='std_msgs::msg::dds_::MultiArrayDimension_'):
    label: str
    size: uint32
    stride: uint32


@dataclass
class Layout(IdlStruct, typename='std_msgs::msg::dds_::MultiArrayLayout_'):
    dim: sequence[Dimension]
    data_offset: uint32


@dataclass
class Numbers(IdlStruct, typename='std_msgs::msg::dds_::Float64MultiArray_'):
    layout: Layout
    data: sequence[float64]


@dataclass
class Field(IdlStruct, typename='sensor_msgs::msg::dds_::PointField_'):
    name: str
    offset: uint32
    datatype: uint8
    count: uint32


@dataclass
class Cloud(IdlStruct, typename='sensor_msgs::msg::dds_::PointCloud2_'):
    header: Header
    height: uint32
    width: uint32
    fields: sequence[Field]
    is_bigendian: bool
    point_step: uint32
    row_step: uint32
    data: sequence[uint8]
    is_dense: bool


@dataclass
class JointState(IdlStruct, typename='sensor_msgs::msg::dds_::JointState_'):
    header: Header
    name: sequence[str]
    position: sequence[float64]
    velocity: sequence[float64]
    effort: sequence[float64]


@dataclass
class Vector3(IdlStruct, typename='geometry_msgs::msg::dds_::Vector3_'):
    x: float64
    y: float64
    z: float64


@dataclass
class Quaternion(IdlStruct, typename='geometry_msgs::msg::dds_::Quaternion_'):
    x: float64
    y: float64
    z: float64
    w: float64


@dataclass
class Transform(IdlStruct, typename='geometry_msgs::msg::dds_::Transform_'):
    translation: Vector3
    rotation: Quaternion


@dataclass
class TransformStamped(IdlStruct, typename='geometry_msgs::msg::dds_::TransformStamped_'):
    header: Header
    child_frame_id: str
    transform: Transform


@dataclass
class TFMessage(IdlStruct, typename='tf2_msgs::msg::dds_::TFMessage_'):
    transforms: sequence[TransformStamped]
