"""What is defined in the demo: databases, assets, pipelines and workflows of a plant, a city and a museum."""

from graph.demo.model import (
    ACCOUNT,
    REGION,
    SCAN_BUCKET,
    VENDOR_BUCKET,
    Asset,
    Database,
    Pipeline,
    Specified,
    Workflow,
    identifier,
)

PLANT = "plant-models"
PLANT_SCANS = "plant-scans"
CITY = "city-scans"
MUSEUM = "museum-twins"
GLOBAL = "GLOBAL"

DATABASES = (
    Database(PLANT, "Engineering models of the northern water plant", 8),
    Database(PLANT_SCANS, "Laser scans of the plant as it was built", 2, SCAN_BUCKET),
    Database(CITY, "Photogrammetry and laser scans of the city", 3, SCAN_BUCKET),
    Database(MUSEUM, "Digital twins of the sculpture collection", 2),
)

PUMP_STATION = Asset(PLANT, "pump-station", "Pump station", "Two duty pumps and a standby", tags=("approved",))
VALVE_KIT = Asset(PLANT, "valve-kit", "Valve kit", "Valves as the vendor delivers them", "folder", bucket=VENDOR_BUCKET)
SPEC_LIBRARY = Asset(PLANT, "spec-library", "Spec library", "Standards that the models keep to", ".pdf", ("locked",))
HEAT_EXCHANGER = Asset(PLANT, "heat-exchanger", "Heat exchanger", "Plate exchanger of the second stage")
PIPE_RACK = Asset(PLANT, "pipe-rack", "Pipe rack", "The rack between the pump station and the turbine hall")
TURBINE_HALL = Asset(
    PLANT,
    "turbine-hall",
    "Turbine hall",
    "Hall, crane and foundations",
    ".ifc",
    ("approved", "large"),
    is_distributable=False,
)
CONTROL_ROOM = Asset(PLANT, "control-room", "Control room", "Furniture, screens and cable ducts", ".ifc")
OLD_ASSET = Asset(PLANT, "old-asset", "Old asset", "Kept from the time before the migration", ".fbx")
RETIRED_PUMP = Asset(
    PLANT, "retired-pump", "Retired pump", "Replaced in June 2026", archived_at="2026-06-01T08:00:00.000000"
)
BOILER_SCAN = Asset(PLANT_SCANS, "boiler-room-scan", "Boiler room scan", "Scan of May 2026", ".e57", (), SCAN_BUCKET)
TANK_SCAN = Asset(
    PLANT_SCANS, "tank-farm-scan", "Tank farm scan", "Drone flight over the tanks", ".laz", (), SCAN_BUCKET
)
HARBOUR_BRIDGE = Asset(CITY, "harbour-bridge", "Harbour bridge", "Both piers and the deck", ".laz", (), SCAN_BUCKET)
TOWN_HALL = Asset(CITY, "town-hall", "Town hall", "Façade and inner court", ".e57", ("listed",), SCAN_BUCKET)
TRAM_LINE = Asset(CITY, "tram-line-4", "Tram line 4", "Track, catenary and stops", ".laz", (), SCAN_BUCKET)
BRONZE_HORSE = Asset(MUSEUM, "bronze-horse", "Bronze horse", "Han dynasty, first century", ".obj")
GREAT_HALL = Asset(MUSEUM, "Große Halle", "Große Halle", "The entrance hall with its staircase", ".glb")

ASSETS = (
    PUMP_STATION,
    VALVE_KIT,
    SPEC_LIBRARY,
    HEAT_EXCHANGER,
    PIPE_RACK,
    TURBINE_HALL,
    CONTROL_ROOM,
    OLD_ASSET,
    RETIRED_PUMP,
    BOILER_SCAN,
    TANK_SCAN,
    HARBOUR_BRIDGE,
    TOWN_HALL,
    TRAM_LINE,
    BRONZE_HORSE,
    GREAT_HALL,
)

# Deleted for good: runs still name it, no row does.
DELETED_BOILER = Asset(PLANT, "old-boiler", "Old boiler", "Scrapped")

MESH_CONVERT = Pipeline(
    GLOBAL,
    "mesh-convert",
    "Mesh converter",
    "conversion",
    "Turns CAD into meshes for the viewer",
    resource="vams-vamsExecuteConv",
)
QUALITY_CHECK = Pipeline(
    PLANT,
    "quality-check",
    "Quality check",
    "analysis",
    "Looks for holes, flipped faces and missing units",
    resource=f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:vams-vamsExecuteQuality",
)
THUMBNAILER = Pipeline(
    GLOBAL,
    "thumbnailer",
    "Thumbnailer",
    "preview",
    "Renders a still of each model",
    wait_for_callback="Disabled",
    resource="vams-vamsExecuteThumb",
)
DECIMATE = Pipeline(
    GLOBAL, "decimate", "Decimator", "conversion", "Halves the triangles of a mesh", resource="vams-vamsExecuteDecimate"
)
TILER = Pipeline(
    GLOBAL, "point-cloud-tiler", "Point cloud tiler", "conversion", "Cuts a point cloud into 3D tiles", "SQS"
)
EXTRACT = Pipeline(
    GLOBAL,
    "metadata-extract",
    "Metadata extractor",
    "analysis",
    "Reads what a file says of itself",
    wait_for_callback="Disabled",
    resource="vams-vamsExecuteExtract",
)
RENDER_FARM = Pipeline(
    GLOBAL, "render-farm", "Render farm", "render", "Renders turntables on Deadline Cloud", "DeadlineCloud"
)
ANNOUNCE = Pipeline(
    GLOBAL, "announce", "Announcer", "notice", "Tells subscribers of new files", "EventBridge", "Disabled"
)
CLASH_DETECT = Pipeline(
    PLANT,
    "clash-detect",
    "Clash detection",
    "analysis",
    "Finds parts that share a place",
    resource="vams-vamsExecuteClash",
    enabled=False,
)
REGISTER_SCANS = Pipeline(
    PLANT_SCANS,
    "register-scans",
    "Scan registration",
    "conversion",
    "Brings scans into one coordinate system",
    resource="vams-vamsExecuteRegister",
)
CLASSIFY = Pipeline(
    CITY,
    "classify-points",
    "Point classifier",
    "analysis",
    "Tells ground, vegetation and buildings apart",
    resource="vams-vamsExecuteClassify",
)
INSPECTION = Pipeline(
    PLANT,
    "inspection",
    "Inspection",
    "analysis",
    "One item of the commissioning list",
    resource="vams-vamsExecuteInspect",
)

PIPELINES = (
    MESH_CONVERT,
    QUALITY_CHECK,
    THUMBNAILER,
    DECIMATE,
    TILER,
    EXTRACT,
    RENDER_FARM,
    ANNOUNCE,
    CLASH_DETECT,
    REGISTER_SCANS,
    CLASSIFY,
    INSPECTION,
)

# What the migration wrote where a run's pipeline was gone; no row has it.
DELETED_PIPELINE = Pipeline(PLANT, "DELETED", "", "", "")


def _specified(workflow_id: str, *jobs: tuple[str, Pipeline]) -> tuple[Specified, ...]:
    return tuple(
        Specified(pipeline, job, f"{job}-{identifier(workflow_id, job, str(place))[:8]}")
        for place, (job, pipeline) in enumerate(jobs)
    )


CONVERT_QA_THUMB = Workflow(
    PLANT,
    "convert-qa-thumb",
    "Convert, check and thumbnail",
    "conversion",
    "Convert CAD, run quality checks, make thumbnails",
    (
        Specified(MESH_CONVERT, "convert", "convert-5f1d2c3b", "high-quality"),
        Specified(QUALITY_CHECK, "quality", "quality-6a7b8c9d"),
        Specified(THUMBNAILER, "thumbs", "thumbs-0e1f2a3b"),
    ),
    allow=("*.step",),
)
THUMBNAILS = Workflow(
    GLOBAL,
    "thumbnails",
    "Thumbnails",
    "preview",
    "A still of each file that is uploaded",
    _specified("thumbnails", ("thumbs", THUMBNAILER)),
)
INVENTORY = Workflow(
    GLOBAL,
    "inventory-report",
    "Inventory report",
    "report",
    "What is there, as a table to read",
    _specified("inventory-report", ("extract", EXTRACT)),
    output="none",
)
DECIMATE_TWICE = Workflow(
    GLOBAL,
    "decimate-twice",
    "Two levels of detail",
    "conversion",
    "Halves the mesh, then halves the half",
    _specified("decimate-twice", ("half", DECIMATE), ("quarter", DECIMATE), ("thumbs", THUMBNAILER)),
)
COMMISSIONING = Workflow(
    PLANT,
    "commissioning",
    "Commissioning list",
    "analysis",
    "Forty inspections, one after the other",
    _specified("commissioning", *((f"item-{number:02}", INSPECTION) for number in range(1, 41))),
)
CLASH_REPORT = Workflow(
    PLANT,
    "clash-report",
    "Clash report",
    "analysis",
    "Clashes between the models of two trades",
    _specified("clash-report", ("clash", CLASH_DETECT), ("announce", ANNOUNCE)),
)
LEGACY_CONVERT = Workflow(
    PLANT,
    "legacy-convert",
    "Conversion of old formats",
    "conversion",
    "Kept for its runs, no longer offered",
    _specified("legacy-convert", ("convert", MESH_CONVERT)),
    archived=True,
)
AS_BUILT = Workflow(
    PLANT_SCANS,
    "as-built",
    "As built",
    "conversion",
    "Registers scans, tiles them, tells who waits for them",
    _specified("as-built", ("register", REGISTER_SCANS), ("tile", TILER), ("announce", ANNOUNCE)),
)
CITY_TILES = Workflow(
    CITY,
    "city-tiles",
    "City tiles",
    "conversion",
    "Classifies points and cuts them into tiles",
    _specified("city-tiles", ("classify", CLASSIFY), ("tile", TILER)),
)
TURNTABLE = Workflow(
    GLOBAL,
    "turntable",
    "Turntable",
    "render",
    "A film of the model going round",
    _specified("turntable", ("convert", MESH_CONVERT), ("render", RENDER_FARM)),
)

WORKFLOWS = (
    CONVERT_QA_THUMB,
    THUMBNAILS,
    INVENTORY,
    DECIMATE_TWICE,
    COMMISSIONING,
    CLASH_REPORT,
    LEGACY_CONVERT,
    AS_BUILT,
    CITY_TILES,
    TURNTABLE,
)

# Deleted: its runs remain, its definition does not.
NIGHTLY_CHECK = Workflow(
    PLANT,
    "nightly-check",
    "Nightly check",
    "analysis",
    "Withdrawn in June 2026",
    _specified("nightly-check", ("quality", QUALITY_CHECK)),
)
